/**
 * Sends mail by SMTP. The only user of nodemailer, which encodes headers and addresses; texts from people reach it as plain
 * text, without line breaks in headers. Files and URLs are never read into a mail.
 */
import { createTransport } from 'nodemailer'
import { mail_limits } from './limits.ts'

/** A mail that is ready to be sent. */
export interface Mail {
  /** Stays the same over all attempts, so that a mail which arrives twice is recognized. */
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Mails about the same subject belong together. */
  readonly thread: string | null
  /** Where an answer goes; null: to the sender. */
  readonly replyTo: string | null
  /** A URL that ends such mails without signing in (RFC 8058). */
  readonly unsubscribe: string | null
}

type Sent =
  | { readonly outcome: 'sent' }
  /** `permanent`: the same mail will be refused again. */
  | { readonly outcome: 'failed'; readonly error: string; readonly permanent: boolean }

export interface Mailer {
  /** The domain of Message-IDs. */
  readonly domain: string
  /** Never rejects. */
  send(mail: Mail): Promise<Sent>
}

/** `from`: an address, or a name and an address in angle brackets. */
export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: mail_limits.mail_connect_ms,
    greetingTimeout: mail_limits.mail_connect_ms,
    socketTimeout: mail_limits.mail_silence_ms,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    domain: domainOf(from),
    async send(mail) {
      try {
        await transport.sendMail(messageOf(mail, from))
        return { outcome: 'sent' }
      } catch (error) {
        return failureOf(error)
      }
    },
  }
}

function messageOf({ messageId, to, subject, text, thread, replyTo, unsubscribe }: Mail, from: string) {
  const list: Record<string, string> =
    unsubscribe === null
      ? {}
      : { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  return {
    from,
    // An object, so that a comma in an address does not make two of it.
    to: { name: '', address: to },
    subject: oneLine(subject),
    text,
    messageId,
    ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
    ...(thread === null ? {} : { references: thread, inReplyTo: thread }),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...list },
  }
}

/** A text without line breaks and other control characters, cut to the length of a subject. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  const chars = [...line]
  const { mail_subject_chars_max: most } = mail_limits
  return chars.length <= most ? line : `${chars.slice(0, most - 1).join('')}…`
}

/** The part of an address after its last `@`. */
export function domainOf(address: string): string {
  return /@([^@<>\s]+)>?\s*$/.exec(address)?.[1] ?? 'localhost'
}

function failureOf(error: unknown): Sent {
  const { message, responseCode } = error as { message?: string; responseCode?: number }
  const permanent = responseCode !== undefined && responseCode >= 500 && responseCode < 600
  return { outcome: 'failed', error: oneLine(message ?? String(error)), permanent }
}
