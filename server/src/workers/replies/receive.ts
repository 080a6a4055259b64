/**
 * Replies to mails about tasks become comments of the person whom the mail was sent to. The comment, its files, its events and the
 * digest of the mail's Message-ID are one transaction, so a mail that arrives again, as after a lost answer, is no second comment.
 */
import { createHash } from 'node:crypto'
import { Refusal } from '../../api/declare/errors.ts'
import type { UploadedContent } from '../../api/declare/operation.ts'
import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import { withContents } from '../../api/write/upload.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { InboundMailRow } from '../../db/schema.ts'
import { StoreUnavailable } from '../../db/store.ts'
import { ContentUnavailable } from '../../files/files.ts'
import { mail_limits } from '../../mail/limits.ts'
import { type ReceivedMail, readReply } from '../../mail/read-reply.ts'
import {
  later,
  openReceiver,
  type Received,
  type Receiver,
  type SmtpRefusal,
  unknown_recipient,
} from '../../mail/receiver.ts'
import { createComment } from '../../resources/comments/shared/create.ts'
import { createFile, requireRoom } from '../../resources/files/shared/create.ts'
import { requireActive } from '../../resources/tasks/shared/change.ts'
import { acceptForFlow, flowRecipient, isFlowAddress } from './flow-mail.ts'
import { type Answering, answering, isOwnAddress } from './person.ts'
import { automatic, unreadable } from './refusals.ts'

const without_text: SmtpRefusal = { code: 550, message: '5.6.0 The reply has no text.' }
const too_long: SmtpRefusal = {
  code: 552,
  message: `5.3.4 The text is longer than ${limits.text_chars_max} characters.`,
}
const too_many_files: SmtpRefusal = {
  code: 552,
  message: `5.3.4 The mail has more than ${limits.attachments_max} attachments.`,
}
const file_too_large: SmtpRefusal = { code: 552, message: '5.3.4 An attachment is larger than files may be.' }
const too_often: SmtpRefusal = { code: 451, message: '4.7.1 Too many replies. Try again later.' }

/** Listens until closed. Rejects if the address cannot be listened on. */
export async function receiveReplies(services: Services, host: string, port: number): Promise<Receiver> {
  return await openReceiver(host, port, {
    recipient: (address) =>
      orLater(services, async () => {
        if (isFlowAddress(services, address)) return await flowRecipient(services, address)
        const found = await answering(services, services.store.reader('system'), address)
        return found === null ? unknown_recipient : null
      }),
    mail: (address, raw) => orLater(services, () => accept(services, address, raw)),
  })
}

/** Everything that may work at another time is answered so that the sender tries again. */
async function orLater<T>({ log }: Services, work: () => Promise<T>): Promise<T | SmtpRefusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) return { code: 550, message: `5.7.1 ${error.message}` }
    const isKnown = error instanceof StoreUnavailable || error instanceof ContentUnavailable
    log.error('a mail could not be received', {
      error: error instanceof Error && !isKnown ? error.stack : String(error),
    })
    return later
  }
}

async function accept(services: Services, address: string, raw: Uint8Array): Promise<Received> {
  if (isFlowAddress(services, address)) return await acceptForFlow(services, address, raw)
  const found = await answering(services, services.store.reader('system'), address)
  if (found === null) return unknown_recipient
  const reply = await readReply(raw, services.mailer?.domain ?? 'localhost')
  if (reply === 'automatic') return automatic
  if (reply === 'unreadable') return unreadable
  // A forwarded mail does not let another person write in this one's name.
  if (reply.from === null || !(await isOwnAddress(services.store, found, reply.from))) return unknown_recipient
  const refusal = faultOf(reply, services.files.settings.bytes_max)
  if (refusal !== null) return refusal
  const contents = reply.files.map(({ bytes }) => bytes)
  return await withContents(services, found.realm, contents, async (uploads) =>
    comment(services, address, { id: digestOf(reply, found, raw), reply, uploads }),
  )
}

function faultOf({ text, files }: ReceivedMail, bytes_max: number): SmtpRefusal | null {
  if (text === '' && files.length === 0) return without_text
  if (text.length > limits.text_chars_max) return too_long
  if (files.length > limits.attachments_max) return too_many_files
  return files.some(({ bytes }) => bytes.length > bytes_max) ? file_too_large : null
}

/** A mail without a Message-ID is recognized by its bytes. */
function digestOf({ messageId }: ReceivedMail, { user, task }: Answering, raw: Uint8Array): string {
  const hash = createHash('sha256').update(`${user}\n${task.id}\n`)
  return hash.update(messageId ?? raw).digest('hex')
}

const known = query<InboundMailRow, { realm: number; id: string }>((db, p) =>
  db.selectFrom('inbound_mails').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

const countSince = query((db, p: Placeholder<{ realm: number; user: string; since: number }>) =>
  db
    .selectFrom('inbound_mails')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('realm', '=', p('realm'))
    .where('user', '=', p('user'))
    .where('created', '>', p('since')),
)

interface ReceivedReply {
  readonly id: string
  readonly reply: ReceivedMail
  readonly uploads: readonly UploadedContent[]
}

/** Commits the comment. The rights of the person are those at this moment. */
async function comment(services: Services, address: string, received: ReceivedReply): Promise<Received> {
  const first = await answering(services, services.store.reader('system'), address)
  if (first === null) return unknown_recipient
  const { organization, realm, user } = first
  const actor = { type: 'user', id: user } as const
  const change = { organization, realms: [{ realm, mode: 'live' }], action: 'task_comments.create', actor } as const
  const { id, reply, uploads } = received
  const outcome = await commitSystemChange(services, change, async ({ tx, now, emit, note }): Promise<Received> => {
    if ((await tx.first(known, { realm, id })) !== undefined) return 'accepted'
    const person = await answering(services, tx, address)
    if (person === null) return unknown_recipient
    const since = now - mail_limits.inbound_person_window_ms
    const { count = 0 } = (await tx.first(countSince, { realm, user, since })) ?? {}
    if (Number(count) >= mail_limits.inbound_person_max) return too_often
    const { task } = person
    requireActive(task)
    const bytes = uploads.reduce((sum, { content }) => sum + content.bytes, 0)
    if (bytes > 0) await requireRoom(tx, realm, bytes, services.files.settings.organization_bytes_max)
    const work = { tx, caller: { organization, realm }, now, emit }
    const attachments = []
    for (const [i, upload] of uploads.entries()) {
      const file = { workspace: task.workspace, name: nameOf(reply, i), creator: actor }
      attachments.push((await createFile(work, file, upload)).row.id)
    }
    const text =
      reply.text === '' ? `(${attachments.length === 1 ? '1 file' : `${attachments.length} files`})` : reply.text
    const row = createComment(work, task, text, actor, { attachments })
    tx.insert('inbound_mails', { realm, id, user, comment: row.id, created: now })
    note({ target: { object: 'comment', id: row.id, workspace: row.workspace } })
    return 'accepted'
  })
  if (uploads.length > 0) services.wakeUps.call('files')
  return outcome
}

/** The name of an attachment without folders and control characters. */
function nameOf({ files }: ReceivedMail, i: number): string {
  const name = (files[i]?.name ?? '')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]+/gu, ' ')
    .trim()
    .slice(0, limits.file_name_chars_max)
    .trim()
  return name === '' || /^\.{1,2}$/.test(name) ? `attachment-${i + 1}` : name
}
