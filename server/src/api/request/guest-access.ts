/**
 * The projects of a guest. A person with the role guest, and every credential of that person, sees these and nothing else of the
 * organization: the rule of each noun says how its objects belong to a project (`declare/noun.ts`), and the table of rights says
 * which operations are for guests at all.
 */
import { type Placeholder, query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'
import type { GuestAccess } from '../declare/caller.ts'

const roleOf = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db
    .selectFrom('account_memberships')
    .select('role')
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user')),
)

const projectsOf = query((db, p: Placeholder<{ realm: number; user: string }>) =>
  db
    .selectFrom('guest_projects')
    .innerJoin('projects', (join) =>
      join.onRef('projects.realm', '=', 'guest_projects.realm').onRef('projects.id', '=', 'guest_projects.project'),
    )
    .select(['guest_projects.project', 'projects.workspace'])
    .where('guest_projects.realm', '=', p('realm'))
    .where('guest_projects.user', '=', p('user'))
    .where('projects.deleted_at', 'is', null),
)

interface Person {
  readonly organization: string
  readonly realm: number
  readonly user: string
}

/** What a person sees as a guest; null if the person is not one. Read for each use, so that a change takes effect at once. */
export async function guestAccessOf(reader: Reader, person: Person): Promise<GuestAccess | null> {
  const { organization, user } = person
  return await accessOfRole(reader, (await reader.first(roleOf, { organization, user }))?.role, person)
}

/** The same for a role that is known. */
export async function accessOfRole(
  reader: Reader,
  role: string | undefined,
  { realm, user }: Person,
): Promise<GuestAccess | null> {
  if (role !== 'guest') return null
  const rows = await reader.all(projectsOf, { realm, user })
  return {
    projects: new Set(rows.map(({ project }) => project)),
    workspaces: new Set(rows.map(({ workspace }) => workspace)),
  }
}
