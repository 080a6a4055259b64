/** Who may answer a mail, and what about: asked when the answer arrives, and again in the transaction of its comment. */
import { guestAccessOf } from '../../api/request/guest-access.ts'
import type { Services } from '../../api/services.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { TaskRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { type ReplyTarget, readReplyAddress } from '../../notifications/reply-address.ts'
import { taskNoun } from '../../resources/tasks/task.ts'

const entryOf = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('notifications')
    .select(['user', 'subject', 'subject_type'])
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/** A member who can sign in, in an organization that has a plan. */
const activeMember = query((db, p: Placeholder<{ realm: number; user: string }>) =>
  db
    .selectFrom('realms')
    .innerJoin('members', 'members.organization', 'realms.organization')
    .innerJoin('organizations', 'organizations.organization', 'realms.organization')
    .innerJoin('account_memberships', (join) =>
      join
        .onRef('account_memberships.organization', '=', 'members.organization')
        .onRef('account_memberships.user', '=', 'members.user'),
    )
    .select(['realms.organization', 'account_memberships.account', 'members.email'])
    .where('realms.realm', '=', p('realm'))
    .where('realms.mode', '=', 'live')
    .where('members.user', '=', p('user'))
    .where('members.status', '=', 'active')
    .where('organizations.plan', 'is not', null),
)

export interface Answering {
  readonly organization: string
  readonly realm: number
  readonly user: string
  readonly task: TaskRow
  readonly account: string
  /** The member's address; the account may have another one. */
  readonly email: string | null
}

type Asked = Pick<Services, 'sealer' | 'settings' | 'disabledOperations'>

/** What an address leads to; null if it is forged, or the person may not comment on the task, or either is gone. */
export async function answering(services: Asked, reader: Reader, address: string): Promise<Answering | null> {
  const { replyDomain } = services.settings
  const target = replyDomain === null ? null : readReplyAddress(services.sealer, replyDomain, address)
  if (target === null || services.disabledOperations.has('task_comments.create')) return null
  return await personOf(reader, target)
}

async function personOf(reader: Reader, { realm, notification }: ReplyTarget): Promise<Answering | null> {
  const entry = await reader.first(entryOf, { realm, id: notification })
  if (entry === undefined || entry.subject_type !== 'task') return null
  const { user } = entry
  const member = await reader.first(activeMember, { realm, user })
  if (member === undefined) return null
  const { organization, account, email } = member
  const task = await taskNoun.find(reader, { organization, realm }, entry.subject)
  if (task === undefined || task.deleted_at !== null) return null
  const guest = await guestAccessOf(reader, { organization, realm, user })
  if (guest !== null && !guest.projects.has(task.project ?? '')) return null
  return { organization, realm, user, task, account, email }
}

const addressOfAccount = query((db, p: Placeholder<{ account: string }>) =>
  db.selectFrom('accounts').select('email').where('id', '=', p('account')),
)

/** Whether the person writes from this address, in lower case: the one to sign in with, or the member's. */
export async function isOwnAddress(
  store: Services['store'],
  { account, email }: Answering,
  from: string,
): Promise<boolean> {
  if (email?.toLowerCase() === from) return true
  // Accounts are no organization's: only the system sees them.
  return (await store.reader('system').first(addressOfAccount, { account }))?.email === from
}
