/** The organization: the tenant that owns all data, shared by its live and test realm (contract/14#organization). */
import Type, { type Static } from 'typebox'
import type { Noun } from '../../api/declare/noun.ts'
import { described, head, named, OneOf } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { OrganizationRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const Organization = Type.Object({
  ...head('organization'),
  name: described(named(Type.String({ minLength: 1, maxLength: 500 })), 'Name of the organization.'),
  plan: described(OneOf('studio', 'enterprise'), 'Plan of the organization; it decides the default credits.'),
  domains: described(
    Type.Array(
      Type.Object({
        domain: described(Type.String({ minLength: 1, maxLength: 253 }), 'Domain name, such as `example.com`.'),
        state: described(Type.String({ minLength: 1, maxLength: 80 }), 'State of the domain, such as `verified`.'),
      }),
      { maxItems: limits.domains_max },
    ),
    'Domains that belong to the organization.',
  ),
  second_factor_required: described(
    Type.Boolean(),
    'Whether people of the organization need a second factor in the console. It is set there.',
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
    // Requests of an organization without a plan are refused, but its events show it; they name the smaller plan.
    plan: (row.plan ?? 'studio') as Organization['plan'],
    domains: JSON.parse(row.domains) as Organization['domains'],
    second_factor_required: row.second_factor_required === 1,
  }
}

export const findOrganization = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('organizations').selectAll().where('organization', '=', p('organization')),
)

type Target = OrganizationRow & { readonly id: string }

/** Found only by its own credentials; any other id answers 404. */
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
