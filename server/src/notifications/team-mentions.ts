/**
 * The people who hear of a text because it mentions their teams: those who were in a team when the event happened, so a second
 * walk over the log finds the same people. They do not watch the task from then on, as people mentioned by name do: its list of
 * watchers would show guests who is in a team.
 */
import { literal, type Placeholder, query } from '../db/query.ts'
import type { Reader } from '../db/store.ts'
import { isTeamId, mentionsOf } from '../text/mentions.ts'
import { inbox_limits } from './limits.ts'

/** Whom a text mentions that it did not mention before. */
export interface NewMentions {
  readonly users: readonly string[]
  readonly teams: readonly string[]
  /** What the text mentioned before: users and teams. */
  readonly before: readonly string[]
}

export function newMentions(text: string | null, previous: unknown): NewMentions {
  const before = typeof previous === 'string' ? mentionsOf(previous) : []
  const known = new Set(before)
  const added = mentionsOf(text ?? '')
    .filter((id) => !known.has(id))
    .slice(0, inbox_limits.inbox_mentions_max)
  return { users: added.filter((id) => !isTeamId(id)), teams: added.filter(isTeamId), before }
}

export const no_mentions: NewMentions = { users: [], teams: [], before: [] }

export function isMentioning({ users, teams }: NewMentions): boolean {
  return users.length > 0 || teams.length > 0
}

/** Who joined in the millisecond of the event is in the team, who left in it is not. */
const peopleAsOf = query((db, p: Placeholder<{ organization: string; team: string; at: number }>) =>
  db
    .selectFrom('team_members')
    .innerJoin('members', (join) =>
      join
        .onRef('members.organization', '=', 'team_members.organization')
        .onRef('members.user', '=', 'team_members.user'),
    )
    .select('team_members.user')
    .where('team_members.organization', '=', p('organization'))
    .where('team_members.team', '=', p('team'))
    .where('team_members.created', '<=', p('at'))
    .where((or) => or.or([or('team_members.deleted_at', 'is', null), or('team_members.deleted_at', '>', p('at'))]))
    .orderBy('team_members.id')
    .limit(literal(inbox_limits.inbox_team_people_max)),
)

/**
 * Who hears by which team: teams in the order of the text, people in the order in which they joined, up to a bound. Who was
 * mentioned before, by name or by a team, has heard of it.
 */
export async function peopleOfTeams(
  reader: Reader,
  { organization, at }: { readonly organization: string; readonly at: number },
  { teams, before }: NewMentions,
): Promise<ReadonlyMap<string, string>> {
  const people = new Map<string, string>()
  if (teams.length === 0) return people
  const reached = new Set(before.filter((id) => !isTeamId(id)))
  for (const team of before.filter(isTeamId))
    for (const { user } of await reader.all(peopleAsOf, { organization, team, at })) reached.add(user)
  for (const team of teams)
    for (const { user } of await reader.all(peopleAsOf, { organization, team, at })) {
      if (people.size >= inbox_limits.inbox_team_people_max) return people
      if (!reached.has(user) && !people.has(user)) people.set(user, team)
    }
  return people
}
