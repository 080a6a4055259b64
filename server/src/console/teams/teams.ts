/** Teams for owners and admins, who make them and choose their people. Each change is one transaction. */
import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { quoted } from '../../api/declare/quoted.ts'
import { Id, named } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { literal, type Placeholder, query } from '../../db/query.ts'
import type { TeamRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { userNoun } from '../../resources/members/member.ts'
import { addToTeam, deleteTeam, removeFromTeam, requireRoom } from '../../resources/team_members/shared/people.ts'
import { countMembersOfTeam } from '../../resources/team_members/shared/queries.ts'
import { membershipInTeam } from '../../resources/team_members/team_member.ts'
import { changeTeam, insertTeam, type TeamChange } from '../../resources/teams/shared/change.ts'
import { Team as ApiTeam, showTeam, teamNoun } from '../../resources/teams/team.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import type { ActiveSession } from '../sessions/session.ts'
import type { Team } from '../shapes.ts'

const teamsWithCounts = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('teams')
    .leftJoin('team_members', (join) =>
      join
        .onRef('team_members.organization', '=', 'teams.organization')
        .onRef('team_members.team', '=', 'teams.id')
        .on('team_members.deleted_at', 'is', null),
    )
    .select(['teams.id', 'teams.name', 'teams.description'])
    .select((eb) => eb.fn.count<number>('team_members.id').as('people'))
    .where('teams.organization', '=', p('organization'))
    .where('teams.deleted_at', 'is', null)
    .groupBy(['teams.id', 'teams.name', 'teams.description'])
    .orderBy('teams.id')
    .limit(literal(limits.teams_max)),
)

/** Lists the teams with the number of their people, the oldest first. */
export const listTeamsOfConsole = endpoint('GET teams', {
  needs: 'session',
  async handle({ services, session: { organization } }) {
    const rows = await services.store.reader({ organization, realms: [] }).all(teamsWithCounts, { organization })
    return { data: rows.map(({ people, ...row }) => ({ ...row, people: Number(people) })) }
  },
})

const Description = Type.Optional(ApiTeam.properties.description)
const People = Type.Optional(Type.Array(Id, { maxItems: limits.team_members_max, uniqueItems: true }))

/** Makes a team, with people if they are named. */
export const createTeam = endpoint('POST teams', {
  needs: 'session',
  role: 'admin',
  body: body({ name: named(ApiTeam.properties.name), description: Description, add: People }),
  async handle(context) {
    const { session, body: sent } = context
    return await commitAsUser(context, { action: 'teams.create' }, async (change) => {
      const { organization } = session
      await requirePeople(change.tx, session, sent.add ?? [])
      const fields = { name: sent.name, description: sent.description ?? null, external_id: null }
      const team = await insertTeam(change, organization, fields)
      for (const user of sent.add ?? []) addToTeam(change, team, user)
      return shown(team, sent.add?.length ?? 0)
    })
  },
})

/** Changes the name or the description, and adds and removes people. Who is in the team already stays, who is not in it is left out. */
export const updateTeam = endpoint('PATCH teams/{id}', {
  needs: 'session',
  role: 'admin',
  body: body({
    name: Type.Optional(named(ApiTeam.properties.name)),
    description: Description,
    add: People,
    remove: People,
  }),
  async handle(context) {
    const { session, params, body: sent } = context
    return await commitAsUser(context, { action: 'teams.update' }, async (change) => {
      const { tx } = change
      const before = await requireTeam(tx, session, params.id ?? '')
      const { name, description } = sent
      const { added, removed } = await differing(tx, session, before, sent)
      const fields = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) }
      const team = changeTeam(change, before, fields)
      for (const row of removed) removeFromTeam(change, row)
      for (const user of added) addToTeam(change, team, user)
      const isChanged = team !== before || added.length > 0 || removed.length > 0
      if (isChanged) change.note({ target: { object: 'team', id: team.id } })
      return shown(team, await countOf(tx, team))
    })
  },
})

/** Deletes a team. Its people and their tasks stay. */
export const removeTeam = endpoint('DELETE teams/{id}', {
  needs: 'session',
  role: 'admin',
  async handle(context) {
    const { session, params } = context
    return await commitAsUser(context, { action: 'teams.delete' }, async (change) => {
      const team = await requireTeam(change.tx, session, params.id ?? '')
      await deleteTeam(change, team)
      return { id: team.id, object: 'team', deleted: true as const }
    })
  },
})

async function countOf(reader: Reader, { organization, id }: TeamRow): Promise<number> {
  return Number((await reader.first(countMembersOfTeam, { organization, team: id }))?.count ?? 0)
}

function shown(row: TeamRow, people: number): Team {
  const { id, name, description } = showTeam(row)
  return { id, name, description, people }
}

function tenantOf({ organization, realms }: ActiveSession) {
  return { organization, realm: realms[0]?.realm ?? 0 }
}

async function requireTeam(reader: Reader, session: ActiveSession, id: string): Promise<TeamRow> {
  const row = await teamNoun.find(reader, tenantOf(session), id)
  if (row === undefined || row.deleted_at !== null) throw refuse('resource_not_found', { param: 'id' })
  return row
}

/** The people to add who are not in the team, and the memberships to remove. */
async function differing(
  tx: TeamChange['tx'],
  session: ActiveSession,
  team: TeamRow,
  { add = [], remove = [] }: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
) {
  const membership = (user: string) =>
    tx.first(membershipInTeam, { organization: session.organization, team: team.id, user })
  const found = await Promise.all(remove.map(membership))
  const present = await Promise.all(add.map(membership))
  const added = add.filter((_, i) => present[i] === undefined)
  const removed = found.filter((row) => row !== undefined)
  await requirePeople(tx, session, added)
  await requireRoom(tx, team, added.length - removed.length)
  return { added, removed }
}

async function requirePeople(reader: Reader, session: ActiveSession, users: readonly string[]): Promise<void> {
  for (const [i, user] of users.entries()) {
    const member = await userNoun.find(reader, tenantOf(session), user)
    if (member !== undefined && member.status !== 'inactive') continue
    const message = `add[${i}] ${quoted(user)} names no active person of the organization.`
    throw refuse('invalid_request_body', { param: `add[${i}]`, message })
  }
}
