/** Adds people to teams and removes them, for the API, the console and provisioning. Each change is an event. */
import { refuse } from '../../../api/declare/errors.ts'
import { limits } from '../../../api/limits.ts'
import type { TeamMemberRow, TeamRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import { teamDeleted } from '../../teams/events.ts'
import { deleteTeamRow } from '../../teams/shared/change.ts'
import { showTeam } from '../../teams/team.ts'
import { teamMemberCreated, teamMemberDeleted } from '../events.ts'
import { showTeamMember } from '../team_member.ts'
import { countMembersOfTeam, membershipsOfUser, membersOfTeam, removeTeamMember } from './queries.ts'

interface Change<Event> {
  readonly tx: Tx
  readonly now: number
  emit(event: Event, after: object, before?: object): void
}

/** Refuses to add people beyond the bound of a team. */
export async function requireRoom(reader: Reader, { organization, id }: TeamRow, added: number): Promise<void> {
  const { count = 0 } = (await reader.first(countMembersOfTeam, { organization, team: id })) ?? {}
  if (Number(count) + added <= limits.team_members_max) return
  throw refuse('resource_conflict', { message: `A team has at most ${limits.team_members_max} people.` })
}

/** Adds a person who is not in the team. */
export function addToTeam(
  { tx, now, emit }: Change<typeof teamMemberCreated>,
  { organization, id: team }: TeamRow,
  user: string,
): TeamMemberRow {
  const row = { organization, id: newId('tmb', now), created: now, updated: now, deleted_at: null, team, user }
  tx.insert('team_members', row)
  emit(teamMemberCreated, showTeamMember(row))
  return row
}

export function removeFromTeam({ tx, now, emit }: Change<typeof teamMemberDeleted>, row: TeamMemberRow): void {
  tx.write(removeTeamMember, { organization: row.organization, id: row.id, now })
  emit(teamMemberDeleted, showTeamMember(row))
}

/** Removes a person from all teams. */
export async function leaveTeams(
  change: Change<typeof teamMemberDeleted>,
  organization: string,
  user: string,
): Promise<void> {
  for (const row of await change.tx.all(membershipsOfUser, { organization, user })) removeFromTeam(change, row)
}

/** Deletes a team with the memberships of its people. The people and their tasks stay. */
export async function deleteTeam(
  change: Change<typeof teamMemberDeleted | typeof teamDeleted>,
  team: TeamRow,
): Promise<void> {
  const { tx, now, emit } = change
  const people = await tx.all(membersOfTeam, { organization: team.organization, team: team.id })
  tx.write(deleteTeamRow, { organization: team.organization, id: team.id, now })
  emit(teamDeleted, showTeam(team))
  for (const row of people) removeFromTeam(change, row)
}
