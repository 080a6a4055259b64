/** The organization: whose data everything is; common to its live and its test realm (contract §2.3). */
import Type, { type Static } from 'typebox'
import type { Noun } from '../../api/noun.ts'
import { head, OneOf } from '../../api/shapes.ts'
import { query } from '../../db/query.ts'
import type { OrganizationRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'

export const Organization = Type.Object({
  ...head('organization'),
  name: Type.String({ minLength: 1, maxLength: 500 }),
  plan: OneOf('studio', 'enterprise'),
  domains: Type.Array(
    Type.Object({
      domain: Type.String({ minLength: 1, maxLength: 253 }),
      state: Type.String({ minLength: 1, maxLength: 80 }),
    }),
    { maxItems: limits.domains_max },
  ),
})

export type Organization = Static<typeof Organization>

export function showOrganization(row: OrganizationRow): Organization {
  return {
    id: row.organization,
    object: 'organization',
    created: seconds(row.created),
    updated: seconds(row.updated),
    name: row.name,
    // A lapsed plan is shown to nobody through the API; events of the lapse name the smaller plan.
    plan: (row.plan ?? 'studio') as Organization['plan'],
    domains: JSON.parse(row.domains) as Organization['domains'],
  }
}

export const findOrganization = query((db, p) =>
  db.selectFrom('organizations').selectAll().where('organization', '=', p('organization')),
)

type Target = OrganizationRow & { readonly id: string }

/** Found only by its own credentials: any other id is not there. */
export const organizationNoun: Noun<Target, Organization> = {
  object: 'organization',
  prefix: 'org',
  table: 'organizations',
  schema: Organization,
  readScope: 'api:read',
  workspaced: false,
  forgets: false,
  async find(reader, caller, reference) {
    if (reference !== caller.organization) return undefined
    const row = await reader.first(findOrganization, { organization: reference })
    return row === undefined ? undefined : { ...row, id: row.organization }
  },
  show: showOrganization,
}
