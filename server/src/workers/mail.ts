/**
 * Sends mail that is due. A mail is claimed by a lease, rendered and sent outside of any transaction, and its outcome recorded.
 * Failures are retried with growing waits; what is refused for good, or fails too often, is dead, which operators see. If a process
 * ends while it sends, no person knows whether the mail was sent: it is sent once more, with the same Message-ID, and not a third time.
 */
import type { Services } from '../api/services.ts'
import { type Placeholder, query } from '../db/query.ts'
import type { MailRow } from '../db/schema.ts'
import { mail_limits } from '../mail/limits.ts'
import type { Sent } from '../mail/smtp.ts'
import { renderMail } from '../resources/notifications/shared/render-mail.ts'
import { onePerProcess } from './leased-queue.ts'
import { newLeaseOwner } from './leases.ts'
import type { Worker } from './worker.ts'

const dueMails = query<MailRow, { now: number; count: number }>((db, p) =>
  db
    .selectFrom('mails')
    .selectAll()
    .where('status', '=', 'due')
    .where('due_at', '<=', p('now'))
    .orderBy('due_at')
    .limit(p('count')),
)

/** Mails whose lease has expired: their process has ended, or hangs. */
const abandonedMails = query<MailRow, { now: number; count: number }>((db, p) =>
  db
    .selectFrom('mails')
    .selectAll()
    .where('status', '=', 'sending')
    .where('lease_until', '<=', p('now'))
    .orderBy('lease_until')
    .limit(p('count')),
)

const claim = query(
  (
    db,
    p: Placeholder<{
      realm: number
      id: string
      owner: string
      until: number
      now: number
      seen: string
      seen_until: number
      uncertain: number
    }>,
  ) =>
    db
      .updateTable('mails')
      .set((eb) => ({
        status: 'sending',
        lease_owner: p('owner'),
        lease_until: p('until'),
        attempts: eb('attempts', '+', 1),
        uncertain: p('uncertain'),
        updated: p('now'),
      }))
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where('status', '=', p('seen'))
      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', p('seen_until'))])),
)

const settle = query(
  (
    db,
    p: Placeholder<{
      realm: number
      id: string
      owner: string
      status: string
      due_at: number
      error: string | null
      content: string
      sealed: number
      now: number
    }>,
  ) =>
    db
      .updateTable('mails')
      .set({
        status: p('status'),
        due_at: p('due_at'),
        error: p('error'),
        content: p('content'),
        sealed: p('sealed'),
        updated: p('now'),
        lease_owner: null,
        lease_until: null,
      })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where('lease_owner', '=', p('owner')),
)

const leaseOwner = onePerProcess(({ store }: Services) => ({ name: newLeaseOwner(store) }))

export const mailWorker: Worker = {
  name: 'mail',
  does: 'Sends mail that is due.',
  period_ms: 2_000,
  lease_ms: 60_000,
  batch_max: mail_limits.mail_batch_max,
  everywhere: true,
  async run(services, count) {
    const { store, clock, mailer } = services
    if (mailer === null) return 0
    const reader = store.reader('system')
    const now = clock.now()
    const found = [
      ...(await reader.all(abandonedMails, { now, count })),
      ...(await reader.all(dueMails, { now, count })),
    ].slice(0, count)
    await Promise.all(found.map((mail) => work(services, mail)))
    return found.length
  },
}

async function work(services: Services, mail: MailRow): Promise<void> {
  const uncertain = mail.uncertain + (mail.status === 'sending' ? 1 : 0)
  if (!(await take(services, mail, uncertain))) return
  if (uncertain > 1) {
    await record(services, mail, {
      outcome: 'failed',
      error: 'the process ended twice while it sent this mail',
      permanent: true,
    })
    return
  }
  const { realm, id, organization } = mail
  const letter = await renderMail(services, mail)
  if (letter === null) return await end(services, mail, { status: 'dropped', due_at: mail.due_at, error: null })
  const domain = services.mailer?.domain ?? 'localhost'
  const { thread, ...rest } = letter
  const sent = await services.mailer?.send({
    ...rest,
    messageId: `<${id}.${realm}@${domain}>`,
    thread: thread === null ? null : `<${thread}.${organization}@${domain}>`,
  })
  if (sent !== undefined) await record(services, mail, sent)
}

async function take(services: Services, mail: MailRow, uncertain: number): Promise<boolean> {
  const { store, clock } = services
  const { realm, id, organization, status } = mail
  const now = clock.now()
  const lease = { owner: leaseOwner(services).name, until: now + mail_limits.mail_lease_ms, now }
  const taken = await store.write({ organization, realms: [realm] }, async (tx) =>
    tx.run(claim, { realm, id, ...lease, seen: status, seen_until: now, uncertain }),
  )
  return taken > 0
}

/** Records the outcome of an attempt: sent, dead, or due again after a wait that grows with each attempt. */
async function record(services: Services, mail: MailRow, sent: Sent): Promise<void> {
  if (sent.outcome === 'sent') return await end(services, mail, { status: 'sent', due_at: mail.due_at, error: null })
  const attempts = mail.attempts + 1
  const isDead = sent.permanent || attempts >= mail_limits.mail_attempts_max
  const { mail_first_wait_ms: first, mail_wait_factor: factor, mail_wait_max_ms: most } = mail_limits
  const due_at = services.clock.now() + Math.min(most, first * factor ** (attempts - 1))
  await end(services, mail, { status: isDead ? 'dead' : 'due', due_at, error: sent.error })
  const { realm, id } = mail
  if (isDead) services.log.error('a mail could not be sent', { realm, mail: id, error: sent.error })
}

/** Ends the attempt. The content of a mail that is over is removed: it may hold a link. */
async function end(
  services: Services,
  { realm, id, organization, content, sealed }: MailRow,
  outcome: Pick<MailRow, 'status' | 'due_at' | 'error'>,
): Promise<void> {
  const { store, clock } = services
  const isOver = outcome.status === 'sent' || outcome.status === 'dropped'
  const values = { realm, id, ...outcome, owner: leaseOwner(services).name, now: clock.now() }
  await store.write({ organization, realms: [realm] }, async (tx) =>
    tx.write(settle, { ...values, content: isOver ? '{}' : content, sealed: isOver ? 0 : sealed }),
  )
}
