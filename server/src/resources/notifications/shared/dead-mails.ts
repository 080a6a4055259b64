/** The dead letters: mails that were given up, for operators. Their texts are not shown. */
import { query } from '../../../db/query.ts'
import type { MailRow } from '../../../db/schema.ts'
import type { Reader, Store } from '../../../db/store.ts'
import { mail_limits } from '../../../mail/limits.ts'

type DeadMail = Pick<MailRow, 'realm' | 'id' | 'organization' | 'user' | 'kind' | 'attempts' | 'error' | 'updated'>

const dead = query<DeadMail, { count: number }>((db, p) =>
  db
    .selectFrom('mails')
    .select(['realm', 'id', 'organization', 'user', 'kind', 'attempts', 'error', 'updated'])
    .where('status', '=', 'dead')
    .orderBy('updated', 'desc')
    .limit(p('count')),
)

const revive = query<never, { realm: number; id: string; now: number }>((db, p) =>
  db
    .updateTable('mails')
    .set({ status: 'due', due_at: p('now'), attempts: 0, uncertain: 0, updated: p('now') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('status', '=', 'dead'),
)

/** Newest first, at most 1,000. */
export async function deadMails(reader: Reader): Promise<DeadMail[]> {
  return await reader.all(dead, { count: mail_limits.mail_dead_listed_max })
}

/** Makes them due now. Returns how many. */
export async function retryDeadMails(store: Pick<Store, 'reader' | 'write'>, now: number): Promise<number> {
  const found = await deadMails(store.reader('system'))
  for (const { realm, id, organization } of found)
    await store.write({ organization, realms: [realm] }, async (tx) => tx.write(revive, { realm, id, now }))
  return found.length
}
