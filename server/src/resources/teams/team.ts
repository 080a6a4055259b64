/** The team: a named group of the organization, common to both realms (contract §2.5). */
import Type, { type Static } from 'typebox'
import type { Noun } from '../../api/noun.ts'
import { head, Nullable, Title } from '../../api/shapes.ts'
import { query } from '../../db/query.ts'
import type { TeamRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'

export const Team = Type.Object({
  ...head('team'),
  name: Title,
  description: Nullable(Type.String({ maxLength: limits.team_description_chars_max })),
})

export type Team = Static<typeof Team>

export function showTeam(row: TeamRow): Team {
  return {
    id: row.id,
    object: 'team',
    created: seconds(row.created),
    updated: seconds(row.updated),
    name: row.name,
    description: row.description,
  }
}

const byId = query((db, p) =>
  db.selectFrom('teams').selectAll().where('organization', '=', p('organization')).where('id', '=', p('id')),
)

export const teamNoun: Noun<TeamRow, Team> = {
  object: 'team',
  prefix: 'team',
  table: 'teams',
  schema: Team,
  readScope: 'api:read',
  workspaced: false,
  forgets: false,
  find: (reader, caller, reference) => reader.first(byId, { organization: caller.organization, id: reference }),
  show: showTeam,
}
