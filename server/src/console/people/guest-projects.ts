/** Which projects guests see: chosen at the invitation, changed by owners and admins, shown to them and in the directory. */
import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { quoted } from '../../api/declare/quoted.ts'
import { Id } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { Reader, Tx } from '../../db/store.ts'
import { projectNoun } from '../../resources/projects/project.ts'
import type { ActiveSession } from '../sessions/session.ts'
import type { Role } from '../shapes.ts'

const guestsOf = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('account_memberships')
    .select('user')
    .where('organization', '=', p('organization'))
    .where('role', '=', 'guest'),
)

const projectsIn = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('guest_projects')
    .select(['user', 'project'])
    .where('realm', '=', p('realm'))
    .orderBy('user')
    .orderBy('project'),
)

const projectsOfUser = query((db, p: Placeholder<{ realm: number; user: string }>) =>
  db
    .selectFrom('guest_projects')
    .select('project')
    .where('realm', '=', p('realm'))
    .where('user', '=', p('user'))
    .orderBy('project'),
)

const clear = query((db, p: Placeholder<{ realm: number; user: string }>) =>
  db.deleteFrom('guest_projects').where('realm', '=', p('realm')).where('user', '=', p('user')),
)

/** The projects of each guest who has joined, by user. */
export async function projectsOfGuests(
  reader: Reader,
  organization: string,
  realm: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const guests = await reader.all(guestsOf, { organization })
  if (guests.length === 0) return new Map()
  const chosen = Map.groupBy(await reader.all(projectsIn, { realm }), ({ user }) => user)
  return new Map(guests.map(({ user }) => [user, (chosen.get(user) ?? []).map(({ project }) => project)]))
}

/** The projects chosen for a person, also before the invitation is accepted; of both realms. */
export async function projectsChosen(
  reader: Reader,
  { realms }: Pick<ActiveSession, 'realms'>,
  user: string,
): Promise<string[]> {
  const found: string[] = []
  for (const { realm } of realms) {
    for (const { project } of await reader.all(projectsOfUser, { realm, user })) found.push(project)
  }
  return found
}

/** A role and projects that fit together: a guest needs projects, and no other role has any. */
export function requireFitting(role: Role | null, projects: readonly string[] | undefined): void {
  if (role === 'guest' && projects?.length === 0) {
    throw refuse('invalid_request_body', {
      param: 'projects',
      message: 'A guest sees at least one project. Choose it in projects.',
    })
  }
  if (role !== 'guest' && projects !== undefined) {
    throw refuse('invalid_request_body', {
      param: 'projects',
      message: 'Only guests have projects. Send the role guest, or no projects.',
    })
  }
}

/**
 * Replaces the projects that a guest sees. Each is a project of one of the realms. Every check comes before the first write. Returns
 * whether anything differs.
 */
export async function setGuestProjects(
  tx: Tx,
  session: ActiveSession,
  user: string,
  projects: readonly string[],
  now: number,
): Promise<boolean> {
  const { organization, realms } = session
  const rows: { realm: number; project: string }[] = []
  for (const [i, project] of projects.entries()) {
    const found = await realmOf(tx, organization, realms, project)
    if (found === undefined) {
      const message = `projects[${i}] ${quoted(project)} names no project of the organization.`
      throw refuse('invalid_request_body', { param: `projects[${i}]`, message })
    }
    rows.push({ realm: found, project })
  }
  const before = await projectsChosen(tx, session, user)
  if (before.length === rows.length && rows.every(({ project }) => before.includes(project))) return false
  for (const { realm } of realms) tx.write(clear, { realm, user })
  for (const row of rows) tx.insert('guest_projects', { ...row, user, created: now, created_by: session.user })
  return true
}

async function realmOf(
  tx: Tx,
  organization: string,
  realms: ActiveSession['realms'],
  project: string,
): Promise<number | undefined> {
  for (const { realm } of realms) {
    const row = await projectNoun.find(tx, { organization, realm }, project)
    if (row !== undefined && row.deleted_at === null) return realm
  }
  return undefined
}

/** The projects of a guest in a request. */
export const GuestProjects = Type.Array(Id, { maxItems: limits.guest_projects_max, uniqueItems: true })
