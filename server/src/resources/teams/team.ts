/** The team: a named group of the organization, shared by both realms (contract/14#team). */
import Type, { type Static } from 'typebox'
import { findForGuests, type Noun } from '../../api/declare/noun.ts'
import { described, head, Nullable, Title } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { TeamRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const Team = Type.Object({
  ...head('team'),
  name: described(Title, 'Name of the team.'),
  description: described(
    Nullable(Type.String({ maxLength: limits.team_description_chars_max })),
    'What the team does; null if unset.',
  ),
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

const byId = query((db, p: Placeholder<{ organization: string; id: string }>) =>
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
  // Without a rule for guests: a guest sees no team.
  find: findForGuests(undefined, (reader, { organization }, reference) =>
    reader.first(byId, { organization, id: reference }),
  ),
  show: showTeam,
}
