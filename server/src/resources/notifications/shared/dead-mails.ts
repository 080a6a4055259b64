/** The dead letters: mails and notices of browsers that were given up, for operators. Their texts are not shown. */
import { query } from '../../../db/query.ts'
import type { MailRow, SendingRow } from '../../../db/schema.ts'
import type { Reader, Store, Tx } from '../../../db/store.ts'
import { mail_limits } from '../../../mail/limits.ts'

/** `kind` is `push` for a notice of a browser. */
export type DeadMail = Pick<
  MailRow,
  'realm' | 'id' | 'organization' | 'user' | 'kind' | 'attempts' | 'error' | 'updated'
>
type DeadPush = Omit<DeadMail, 'kind'>

const dead = query<DeadMail, { count: number }>((db, p) =>
  db
    .selectFrom('mails')
    .select(['realm', 'id', 'organization', 'user', 'kind', 'attempts', 'error', 'updated'])
    .where('status', '=', 'dead')
    .orderBy('updated', 'desc')
    .limit(p('count')),
)

const deadPushes = query<DeadPush, { count: number }>((db, p) =>
  db
    .selectFrom('pushes')
    .select(['realm', 'id', 'organization', 'user', 'attempts', 'error', 'updated'])
    .where('status', '=', 'dead')
    .orderBy('updated', 'desc')
    .limit(p('count')),
)

/** Both tables have the columns of `SendingRow`. */
const reviveIn = (table: 'mails' | 'pushes') =>
  query<never, Pick<SendingRow, 'realm' | 'id'> & { now: number }>((db, p) =>
    db
      .updateTable(table as 'mails')
      .set({ status: 'due', due_at: p('now'), attempts: 0, uncertain: 0, updated: p('now') })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where('status', '=', 'dead'),
  )

const revive = reviveIn('mails')
const revivePush = reviveIn('pushes')

/** Newest first, at most 1,000. */
export async function deadMails(reader: Reader): Promise<DeadMail[]> {
  const count = mail_limits.mail_dead_listed_max
  const pushes = (await reader.all(deadPushes, { count })).map((row) => ({ ...row, kind: 'push' }))
  const all = [...(await reader.all(dead, { count })), ...pushes]
  return all.toSorted((a, b) => b.updated - a.updated || (a.id < b.id ? 1 : -1)).slice(0, count)
}

/** Makes one due now, if it is still given up. */
export function reviveDeadMail(
  tx: Tx,
  { realm, id, kind }: Pick<DeadMail, 'realm' | 'id' | 'kind'>,
  now: number,
): void {
  tx.write(kind === 'push' ? revivePush : revive, { realm, id, now })
}

/** Makes them due now. Returns how many. */
export async function retryDeadMails(store: Pick<Store, 'reader' | 'write'>, now: number): Promise<number> {
  const found = await deadMails(store.reader('system'))
  for (const mail of found)
    await store.write({ organization: mail.organization, realms: [mail.realm] }, async (tx) =>
      reviveDeadMail(tx, mail, now),
    )
  return found.length
}
