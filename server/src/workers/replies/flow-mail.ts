/**
 * Mail to the addresses of flows starts runs (contract/16#received-mail). Mails are counted per flow before they are read, and per sender
 * before a run starts, apart from the organization's credits. What a limit refuses may work later, so its sender tries again.
 */
import { createHash, hash } from 'node:crypto'
import { receivedDay, receivedWindow } from '../../api/credits/credit-limits.ts'
import { Refusal } from '../../api/declare/errors.ts'
import type { Services } from '../../api/services.ts'
import { automation_limits } from '../../automations/limits.ts'
import { type FlowMail, no_subject } from '../../automations/mails.ts'
import { type ReceivedMail, readMail } from '../../mail/read-reply.ts'
import { later, type Received, type SmtpRefusal, unknown_recipient } from '../../mail/receiver.ts'
import { domainOf } from '../../mail/smtp.ts'
import { findOpenMailbox, type OpenMailbox, receiveMail } from '../../resources/automation_runs/mails/receive.ts'
import { secretOfAddress } from '../../resources/automation_runs/shared/mails.ts'
import { automatic, unreadable } from './refusals.ts'

const closed: SmtpRefusal = { code: 450, message: '4.2.1 The address takes no mail at the moment. Try again later.' }
const without_sender: SmtpRefusal = { code: 550, message: '5.7.1 From must have an address.' }
const too_long: SmtpRefusal = {
  code: 552,
  message: `5.3.4 The text is longer than ${automation_limits.automation_mailbox_text_chars_max} characters.`,
}
const too_often: SmtpRefusal = { code: 451, message: '4.7.1 Too many mails. Try again later.' }

type Asked = Pick<Services, 'settings' | 'store'>

/** Whether the address has the form of those that flows have. */
export function isFlowAddress({ settings }: Asked, address: string): boolean {
  return settings.replyDomain !== null && secretOfAddress(address, settings.replyDomain) !== null
}

/** Null if a flow takes mail at the address. */
export async function flowRecipient(services: Asked, address: string): Promise<SmtpRefusal | null> {
  const found = await openMailboxAt(services, address)
  return 'code' in found ? found : null
}

async function openMailboxAt({ settings, store }: Asked, address: string): Promise<OpenMailbox | SmtpRefusal> {
  const secret = settings.replyDomain === null ? null : secretOfAddress(address, settings.replyDomain)
  const found = secret === null ? null : await findOpenMailbox(store.reader('system'), secret)
  if (found === null) return unknown_recipient
  return found === 'closed' ? closed : found
}

/** Starts a run with the mail. Rejects if the store is unavailable. */
export async function acceptForFlow(services: Services, address: string, raw: Uint8Array): Promise<Received> {
  const open = await openMailboxAt(services, address)
  if ('code' in open) return open
  try {
    await countMail(services, open, null)
    const read = await readMail(raw, services.mailer?.domain ?? 'localhost')
    const refusal = refusalOf(services, read)
    if (refusal !== null) return refusal
    const received = read as ReceivedMail & { readonly from: string }
    await countMail(services, open, received.from)
    const outcome = await receiveMail(services, open, { key: keyOf(received, raw), mail: mailOf(received) })
    return outcome === 'accepted' ? 'accepted' : too_often
  } catch (error) {
    if (error instanceof Refusal && error.status === 429) return too_often
    if (error instanceof Refusal && error.status === 503) return later
    throw error
  }
}

function refusalOf({ settings }: Services, mail: Awaited<ReturnType<typeof readMail>>): SmtpRefusal | null {
  if (mail === 'automatic') return automatic
  if (mail === 'unreadable') return unreadable
  const { from, text } = mail
  const { automation_mailbox_address_chars_max, automation_mailbox_text_chars_max } = automation_limits
  if (from === null || from.length > automation_mailbox_address_chars_max || !/^[^\s@]+@[^\s@]+$/.test(from))
    return without_sender
  // Addresses of the domain only receive: mail from one went round.
  if (domainOf(from) === settings.replyDomain?.toLowerCase()) return automatic
  return text.length > automation_mailbox_text_chars_max ? too_long : null
}

/** Counts a mail to the flow; with `from`, of that sender. Refuses with 429 beyond a limit. */
async function countMail({ credits, clock }: Services, { mailbox }: OpenMailbox, from: string | null): Promise<void> {
  const { organization, id } = mailbox
  const now = clock.now()
  // Addresses are not stored with the counts.
  const subject = from === null ? id : `${id} ${hash('sha256', `${id} ${from}`, 'base64url').slice(0, 22)}`
  const {
    automation_mailbox_minute_max: minute,
    automation_mailbox_day_max: day,
    automation_mailbox_sender_minute_max: sender_minute,
    automation_mailbox_sender_day_max: sender_day,
  } = automation_limits
  const windows = [
    receivedWindow(organization, subject, from === null ? minute : sender_minute, now),
    receivedDay(organization, subject, from === null ? day : sender_day, now),
  ]
  await credits.countReceived(windows, now)
}

/** A mail without a Message-ID is recognized by its bytes. */
function keyOf({ messageId }: ReceivedMail, raw: Uint8Array): string {
  return createHash('sha256')
    .update(messageId ?? raw)
    .digest('hex')
}

function mailOf({ from, name, subject, text, files }: ReceivedMail & { readonly from: string }): FlowMail {
  const { automation_mailbox_attachments_max } = automation_limits
  const shown = lineOf(subject)
  return {
    from,
    name: lineOf(name),
    subject: shown === '' ? no_subject : shown,
    text: text.replaceAll(/\r\n?/g, '\n').trim().toWellFormed(),
    attachments: files.slice(0, automation_mailbox_attachments_max).map((file) => lineOf(file.name ?? '')),
  }
}

/** One line without control characters, cut to its limit. */
function lineOf(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line.slice(0, automation_limits.automation_mailbox_line_chars_max).toWellFormed()
}
