/**
 * The people whom a guest sees: those who appear in the guest's projects. These are the assignees and authors of their newest tasks,
 * those who watch the projects, their other guests, the person who chose the projects, and the guest.
 */
import { actingUser, type Caller, type Tenant } from '../../../api/declare/caller.ts'
import type { GuestRule } from '../../../api/declare/noun.ts'
import { limits } from '../../../api/limits.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { literal, query } from '../../../db/query.ts'
import type { MemberRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'

interface Sought {
  readonly [name: string]: string | number
  readonly realm: number
  readonly projects: string
}

const fromTasks = query<{ assignee: string | null; creator_type: string; creator_id: string }, Sought>(
  (db, p, dialect) =>
    db
      .selectFrom((recent) =>
        recent
          .selectFrom('tasks')
          .select(['assignee', 'creator_type', 'creator_id'])
          .where('realm', '=', p('realm'))
          .where('deleted_at', 'is', null)
          .where(isOneOf(dialect, 'project', p('projects')))
          .orderBy('id', 'desc')
          .limit(literal(limits.guest_people_tasks_max))
          .as('recent'),
      )
      .select(['assignee', 'creator_type', 'creator_id'])
      .distinct(),
)

const guestsOf = query<{ user: string; created_by: string | null }, Sought>((db, p, dialect) =>
  db
    .selectFrom('guest_projects')
    .select(['user', 'created_by'])
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'project', p('projects'))),
)

const watchersOf = query<{ user: string }, Sought>((db, p, dialect) =>
  db
    .selectFrom('watches')
    .select('user')
    .distinct()
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'subject', p('projects'))),
)

/** The user ids of these people; null for a caller who sees everyone. */
export async function peopleSeenBy(reader: Reader, tenant: Tenant | Caller): Promise<ReadonlySet<string> | null> {
  if (!('guest' in tenant) || tenant.guest === null) return null
  const people = new Set([actingUser(tenant)])
  const { guest, realm } = tenant
  if (guest.projects.size === 0) return people
  const sought = { realm, projects: JSON.stringify([...guest.projects]) }
  const [tasks, guests, watchers] = await Promise.all([
    reader.all(fromTasks, sought),
    reader.all(guestsOf, sought),
    reader.all(watchersOf, sought),
  ])
  for (const { assignee, creator_type, creator_id } of tasks) {
    if (assignee !== null) people.add(assignee)
    if (creator_type === 'user') people.add(creator_id)
  }
  for (const { user, created_by } of guests) {
    people.add(user)
    if (created_by !== null) people.add(created_by)
  }
  for (const { user } of watchers) people.add(user)
  return people
}

export const guestRuleOfMembers: GuestRule<MemberRow> = {
  sees: async ({ user }, _guest, { reader, caller }) => (await peopleSeenBy(reader, caller))?.has(user) ?? false,
}
