/// <reference path="./html-to-text.d.ts" />
/** Reads a received mail. The only user of postal-mime and html-to-text, which decode it in JavaScript, without calling outside. */
import { convert } from 'html-to-text'
import PostalMime, { type Attachment, type Email } from 'postal-mime'
import { mail_limits } from './limits.ts'
import { replyText } from './reply-text.ts'

interface ReceivedFile {
  readonly name: string | null
  readonly bytes: Uint8Array
}

/** A mail that a person wrote. */
export interface ReceivedMail {
  /** As sent; null without one. */
  readonly messageId: string | null
  /** The address in `From`, in lower case. */
  readonly from: string | null
  /** The name beside it; empty without one. */
  readonly name: string
  readonly subject: string
  readonly text: string
  readonly files: readonly ReceivedFile[]
}

/** Why a mail is not read. */
export type Unread = 'automatic' | 'unreadable'

/** The mail with only the text that its writer added to what is answered. `domain`: of our own Message-IDs. Never rejects. */
export async function readReply(raw: Uint8Array, domain: string): Promise<ReceivedMail | Unread> {
  const mail = await readMail(raw, domain)
  return typeof mail === 'string' ? mail : { ...mail, text: replyText(mail.text) }
}

/** The mail with its whole text. `domain`: of our own Message-IDs. Never rejects. */
export async function readMail(raw: Uint8Array, domain: string): Promise<ReceivedMail | Unread> {
  const email = await parse(raw)
  if (email === null) return 'unreadable'
  if (isAutomatic(email, domain)) return 'automatic'
  const from = email.from?.address?.toLowerCase() ?? null
  const messageId = email.messageId?.trim().slice(0, 1000) || null
  const name = email.from?.name ?? ''
  const subject = email.subject ?? ''
  return { messageId, from, name, subject, text: textOf(email), files: email.attachments.flatMap(fileOf) }
}

/** The plain text; of a mail without one, that of its HTML. */
function textOf({ text, html }: Email): string {
  const plain = text?.trim() ? text : htmlText(html ?? '')
  // Neither engine nor contract has a place for NUL in a text.
  return plain.replaceAll('\0', '')
}

/** What a person writes stands at the begin of the body. */
function htmlText(html: string): string {
  const body = Math.max(0, html.search(/<body\b/i))
  const { inbound_html_depth_max: maxDepth, inbound_html_nodes_max: maxChildNodes } = mail_limits
  return convert(html.slice(body, body + mail_limits.inbound_html_chars_max), {
    wordwrap: false,
    limits: { maxDepth, maxChildNodes },
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
      { selector: 'img', format: 'skip' },
      { selector: 'table', format: 'block' },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  })
}

async function parse(raw: Uint8Array): Promise<Email | null> {
  try {
    return await PostalMime.parse(raw, {
      maxHeadersSize: mail_limits.inbound_header_bytes_max,
      maxNestingDepth: mail_limits.inbound_parts_depth_max,
      forceRfc822Attachments: true,
    })
  } catch {
    return null
  }
}

/** Mail of programs: answers to it could go round for ever (RFC 3834). */
function isAutomatic({ headers, messageId, from }: Email, domain: string): boolean {
  const valuesOf = (name: string) =>
    headers.flatMap(({ key, value }) => (key === name ? value.trim().toLowerCase() : []))
  return (
    valuesOf('auto-submitted').some((value) => !/^no\b/.test(value)) ||
    valuesOf('precedence').some((value) => /^(?:bulk|junk|list|auto_reply)\b/.test(value)) ||
    ['list-id', 'list-unsubscribe', 'x-autoreply', 'x-autorespond'].some((name) => valuesOf(name).length > 0) ||
    headers.some(({ key, value }) => key === 'content-type' && /^\s*multipart\/report\b/i.test(value)) ||
    /^(?:mailer-daemon|postmaster)@/i.test(from?.address ?? '') ||
    isOwn(messageId ?? '', domain)
  )
}

/** A mail of ours that came back. */
function isOwn(messageId: string, domain: string): boolean {
  return /^<mal_[0-9A-Z]{26}\./.test(messageId) && messageId.toLowerCase().endsWith(`@${domain.toLowerCase()}>`)
}

function fileOf({ filename, content, related, mimeType }: Attachment): ReceivedFile[] {
  // `attachmentEncoding` is not set, so the content is bytes.
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
  const isLogo = related === true && mimeType.startsWith('image/') && bytes.length < mail_limits.inbound_image_bytes_min
  return isLogo || bytes.length === 0 ? [] : [{ name: filename, bytes }]
}
