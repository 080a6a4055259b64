/** Sends mail that is due (`send-queue.ts`). A mail keeps its Message-ID over all attempts. */
import type { Services } from '../api/services.ts'
import { query } from '../db/query.ts'
import type { MailRow } from '../db/schema.ts'
import { mail_limits } from '../mail/limits.ts'
import { renderMail } from '../resources/notifications/shared/render-mail.ts'
import { type Attempt, SendQueue } from './send-queue.ts'
import type { Worker } from './worker.ts'

/** The content of a mail that is over may hold a link. */
const clear = query<never, { realm: number; id: string }>((db, p) =>
  db.updateTable('mails').set({ content: '{}', sealed: 0 }).where('realm', '=', p('realm')).where('id', '=', p('id')),
)

const queue = new SendQueue<MailRow>({
  table: 'mails',
  noun: 'mail',
  lease_ms: mail_limits.mail_lease_ms,
  attempts_max: mail_limits.mail_attempts_max,
  repeats_max: mail_limits.mail_repeats_max,
  first_wait_ms: mail_limits.mail_first_wait_ms,
  wait_factor: mail_limits.mail_wait_factor,
  wait_max_ms: mail_limits.mail_wait_max_ms,
  attempt: send,
  forget: (tx, { realm, id }) => tx.write(clear, { realm, id }),
})

export const mailWorker: Worker = {
  name: 'mail',
  does: 'Sends mail that is due.',
  period_ms: 2_000,
  lease_ms: 60_000,
  batch_max: mail_limits.mail_batch_max,
  everywhere: true,
  run: async (services, count) => (services.mailer === null ? 0 : await queue.run(services, count)),
}

async function send(services: Services, mail: MailRow): Promise<Attempt> {
  const { mailer } = services
  const letter = await renderMail(services, mail)
  if (letter === null || mailer === null) return { outcome: 'dropped' }
  const { id, realm, organization } = mail
  const { thread, ...rest } = letter
  return await mailer.send({
    ...rest,
    messageId: `<${id}.${realm}@${mailer.domain}>`,
    thread: thread === null ? null : `<${thread}.${organization}@${mailer.domain}>`,
  })
}
