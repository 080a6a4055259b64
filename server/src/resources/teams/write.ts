/** Adds teams, for the operator and the console: the API only reads them (contract/07#operator-writes). */
import Type, { type Static } from 'typebox'
import { checkShape } from '../../api/request/validate.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import { requireRealms } from '../organizations/shared/queries.ts'
import { insertTeam } from './shared/change.ts'
import { showTeam, Team } from './team.ts'

export const NewTeam = Type.Object(
  { name: Team.properties.name, description: Type.Optional(Team.properties.description) },
  { additionalProperties: false },
)

export type NewTeam = Static<typeof NewTeam>

/** Adds a team to the organization, in both realms. */
export async function addTeam(
  services: Pick<Services, 'store' | 'clock' | 'committed'>,
  organization: string,
  sent: NewTeam,
): Promise<Team> {
  const fields = checkShape(NewTeam, sent) as NewTeam
  const realms = await requireRealms(services.store, organization)
  const about = { organization, realms, action: 'teams.create' }
  return await commitSystemChange(services, about, async (change) => {
    return showTeam(await insertTeam(change, organization, { description: null, external_id: null, ...fields }))
  })
}
