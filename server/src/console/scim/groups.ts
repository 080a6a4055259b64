/**
 * Groups of an organization over SCIM (RFC 7644 §3): teams, also those that people have made. A change of name and people is one
 * transaction, and only what differs is written. Roles do not follow from groups.
 */
import { quoted } from '../../api/declare/quoted.ts'
import { limits } from '../../api/limits.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import type { TeamRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { addToTeam, deleteTeam, removeFromTeam } from '../../resources/team_members/shared/people.ts'
import { membersOfTeam } from '../../resources/team_members/shared/queries.ts'
import { changeTeam, insertTeam, type TeamChange } from '../../resources/teams/shared/change.ts'
import { teamNoun } from '../../resources/teams/team.ts'
import { invalidValue, ScimError } from './errors.ts'
import type { GroupFields } from './group.ts'
import { isSameName } from './group-list.ts'
import type { GroupChange } from './group-patch.ts'
import type { Provider } from './provider.ts'
import { findPeopleByUsers, isDeleted, listTeamsOfOrganization } from './queries.ts'
import type { ScimContext } from './users.ts'

/** What every id of a team has. */
const id_form = /^[A-Za-z0-9_:-]{1,160}$/

/** The team of this id. A deleted or foreign one is missing. */
export async function requireGroup(reader: Reader, { organization, realms }: Provider, id: string): Promise<TeamRow> {
  const tenant = { organization, realm: realms[0]?.realm ?? 0 }
  // PostgreSQL has no text with a NUL, which no id has either.
  const row = id_form.test(id) ? await teamNoun.find(reader, tenant, id) : undefined
  if (row === undefined || row.deleted_at !== null) throw new ScimError(404, `There is no group ${quoted(id)}.`)
  return row
}

export async function createGroup(
  context: ScimContext,
  { displayName, externalId, members = [] }: Omit<GroupFields, 'members'> & Partial<GroupFields>,
): Promise<TeamRow> {
  return await commit(context, 'teams.create', async (change) => {
    const { organization } = context.provider
    await requireFree(change.tx, organization, null, { displayName, externalId })
    await requirePeople(change.tx, organization, members)
    const fields = { name: displayName, description: null, external_id: externalId }
    const team = await insertTeam(change, organization, fields)
    for (const user of members) addToTeam(change, team, user)
    return team
  })
}

/** Changes a group. What equals is not written, and leaves no audit entry. */
export async function changeGroup(context: ScimContext, id: string, changes: readonly GroupChange[]): Promise<TeamRow> {
  return await commit(context, 'teams.update', async (change) => {
    const before = await requireGroup(change.tx, context.provider, id)
    const { organization, name, external_id } = before
    const rows = await change.tx.all(membersOfTeam, { organization, team: id })
    const was = { displayName: name, externalId: external_id, members: rows.map(({ user }) => user) }
    const group = changes.reduce<GroupFields>((group, apply) => apply(group), was)
    const added = group.members.filter((user) => !was.members.includes(user))
    const gone = rows.filter(({ user }) => !group.members.includes(user))
    // Teams that people have made may share a name.
    const isRenamed = !isSameName(group.displayName, name)
    await requireFree(change.tx, organization, id, { ...group, displayName: isRenamed ? group.displayName : null })
    await requirePeople(change.tx, organization, added)
    requireBound(group.members.length)
    const team = changeTeam(change, before, { name: group.displayName, external_id: group.externalId })
    for (const row of gone) removeFromTeam(change, row)
    for (const user of added) addToTeam(change, team, user)
    if (team !== before || added.length > 0 || gone.length > 0) change.note(id)
    return team
  })
}

/** Deletes the team. Its people stay. */
export async function deleteGroup(context: ScimContext, id: string): Promise<void> {
  await commit(context, 'teams.delete', async (change) => {
    const team = await requireGroup(change.tx, context.provider, id)
    await deleteTeam(change, team)
    change.note(id)
    return team
  })
}

interface Writing extends TeamChange {
  note(team: string): void
}

async function commit(
  { services, provider, source }: ScimContext,
  action: string,
  work: (change: Writing) => Promise<TeamRow>,
): Promise<TeamRow> {
  const { organization, realms, token } = provider
  const about = { organization, realms, action, source }
  return await commitSystemChange(services, about, async ({ tx, now, emit, note }) => {
    const noteTeam = (id: string) => note({ target: { object: 'team', id }, reason: `SCIM, by the token ${token}` })
    const team = await work({ tx, now, emit, note: noteTeam })
    if (action === 'teams.create') noteTeam(team.id)
    return team
  })
}

function requireBound(people: number): void {
  if (people <= limits.team_members_max) return
  throw invalidValue(`\`members\` would have ${people} people. A group has at most ${limits.team_members_max}.`)
}

/** Refuses a name or an `externalId` that another group has; null is a group that is being created. */
async function requireFree(
  reader: Reader,
  organization: string,
  id: string | null,
  { displayName, externalId }: { readonly displayName: string | null; readonly externalId: string | null },
): Promise<void> {
  const others = (await reader.all(listTeamsOfOrganization, { organization })).filter((team) => team.id !== id)
  if (displayName !== null && others.some(({ name }) => isSameName(name, displayName)))
    throw new ScimError(409, `There is another group ${quoted(displayName)}.`, 'uniqueness')
  if (externalId !== null && others.some(({ external_id }) => external_id === externalId))
    throw new ScimError(409, `Another group has the externalId ${quoted(externalId)}.`, 'uniqueness')
}

/** Refuses ids that name no user of the organization. A deactivated one is accepted, because providers send them in any order. */
async function requirePeople(reader: Reader, organization: string, users: readonly string[]): Promise<void> {
  const sent = users.filter((user) => id_form.test(user))
  const rows =
    sent.length === 0 ? [] : await reader.all(findPeopleByUsers, { organization, users: JSON.stringify(sent) })
  const known = new Set(rows.filter((row) => !isDeleted(row)).map(({ user }) => user))
  const missing = users.find((user) => !known.has(user))
  if (missing !== undefined) throw invalidValue(`\`members.value\` cannot be ${quoted(missing)}. It names no user.`)
}
