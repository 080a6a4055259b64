/**
 * Guests hear only of tasks and boards of their projects, and of their account. It is judged when an entry is written, by the projects at that moment,
 * and again whenever it is read or sent by mail.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Dialect, isOneOf } from '../db/dialect.ts'
import { query } from '../db/query.ts'
import type { Reader } from '../db/store.ts'

const guestsAmong = query<{ user: string }, { organization: string; users: string }>((db, p, dialect) =>
  db
    .selectFrom('account_memberships')
    .select('user')
    .where('organization', '=', p('organization'))
    .where('role', '=', 'guest')
    .where(isOneOf(dialect, 'user', p('users'))),
)

const guestsOfProject = query<{ user: string }, { realm: number; users: string; project: string }>((db, p, dialect) =>
  db
    .selectFrom('guest_projects')
    .select('user')
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where(isOneOf(dialect, 'user', p('users'))),
)

export const in_no_project = async (): Promise<null> => null

/** Those of some people who may not hear of something in a project, which is looked up only if there are guests among them. */
export async function guestsElsewhere(
  reader: Reader,
  place: { readonly organization: string; readonly realm: number },
  people: Iterable<string>,
  projectOf: () => Promise<string | null>,
): Promise<ReadonlySet<string>> {
  const { organization, realm } = place
  const users = JSON.stringify([...people])
  const guests = await reader.all(guestsAmong, { organization, users })
  if (guests.length === 0) return new Set()
  const here = await reader.all(guestsOfProject, { realm, users, project: (await projectOf()) ?? '' })
  const elsewhere = new Set(guests.map(({ user }) => user))
  for (const { user } of here) elsewhere.delete(user)
  return elsewhere
}

/** Whether the subject of an entry is the person, or in one of the projects in the JSON array bound as `seen`. */
export function isOfProjects(dialect: Dialect, seen: unknown): RawBuilder<SqlBool> {
  return sql<SqlBool>`(notifications.subject = notifications."user" or exists (select 1 from tasks where tasks.realm = notifications.realm and tasks.id = notifications.subject
      and ${isOneOf(dialect, 'tasks.project', seen)})
    or exists (select 1 from boards where boards.realm = notifications.realm and boards.id = notifications.subject
      and ${isOneOf(dialect, 'boards.project', seen)}))`
}
