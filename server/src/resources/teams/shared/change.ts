/** Changes of teams within a transaction, for the operator, the console and provisioning. */
import { refuse } from '../../../api/declare/errors.ts'
import type { EventType } from '../../../api/declare/event.ts'
import { limits } from '../../../api/limits.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { TeamRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import { teamCreated, teamUpdated } from '../events.ts'
import { showTeam } from '../team.ts'

export interface TeamChange {
  readonly tx: Tx
  readonly now: number
  emit(event: EventType, after: object, before?: object): void
}

/** What a team can be changed in. */
type TeamFields = Pick<TeamRow, 'name' | 'description' | 'external_id'>

const countTeams = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('teams')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization', '=', p('organization'))
    .where('deleted_at', 'is', null),
)

type TeamKey = Pick<TeamRow, 'organization' | 'id'>

const updateTeamRow = query((db, p: Placeholder<TeamKey & TeamFields & { updated: number }>) =>
  db
    .updateTable('teams')
    .set({ name: p('name'), description: p('description'), external_id: p('external_id'), updated: p('updated') })
    .where('organization', '=', p('organization'))
    .where('id', '=', p('id')),
)

/** Leaves a tombstone, without the provider's id, which another team may get. */
export const deleteTeamRow = query((db, p: Placeholder<TeamKey & { now: number | null }>) =>
  db
    .updateTable('teams')
    .set({ deleted_at: p('now'), external_id: null })
    .where('organization', '=', p('organization'))
    .where('id', '=', p('id')),
)

/** Adds a team within a transaction. Refuses one beyond the bound. */
export async function insertTeam(
  { tx, now, emit }: TeamChange,
  organization: string,
  { name, description, external_id }: TeamFields,
): Promise<TeamRow> {
  const { count = 0 } = (await tx.first(countTeams, { organization })) ?? {}
  if (Number(count) >= limits.teams_max)
    throw refuse('resource_conflict', { message: `An organization has at most ${limits.teams_max} teams.` })
  const row: TeamRow = {
    ...{ organization, id: newId('team', now), created: now, updated: now, deleted_at: null },
    // An unset text is null, never '' (contract/14#common-fields).
    ...{ name, description: description || null, external_id },
  }
  tx.insert('teams', row)
  emit(teamCreated, showTeam(row))
  return row
}

/** Changes a team. What equals is not written; the provider's id alone emits no event. */
export function changeTeam({ tx, now, emit }: TeamChange, before: TeamRow, fields: Partial<TeamFields>): TeamRow {
  const { name, external_id, description } = { ...before, ...fields }
  const after = { ...before, name, external_id, description: description || null, updated: now }
  const isShownChange = after.name !== before.name || after.description !== before.description
  if (!isShownChange && after.external_id === before.external_id) return before
  const row = isShownChange ? after : { ...after, updated: before.updated }
  tx.write(updateTeamRow, row)
  if (isShownChange) emit(teamUpdated, showTeam(row), showTeam(before))
  return row
}
