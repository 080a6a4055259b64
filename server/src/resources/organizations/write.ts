/** Changes of an organization by the operator or in the console. */
import Type, { type Static } from 'typebox'
import type { Plan } from '../../api/declare/caller.ts'
import { OneOf } from '../../api/declare/shapes.ts'
import { checkShape } from '../../api/request/validate.ts'
import type { Services } from '../../api/services.ts'
import { type Author, commitSystemChange } from '../../api/write/system-change.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { OrganizationRow } from '../../db/schema.ts'
import { organizationUpdated } from './events.ts'
import { findOrganization, Organization, showOrganization } from './organization.ts'
import { requireRealms } from './shared/queries.ts'

const Change = Type.Object(
  {
    name: Type.Optional(Organization.properties.name),
    plan: Type.Optional(OneOf('studio', 'enterprise', 'none')),
    second_factor_required: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

export type OrganizationChange = Static<typeof Change>

/** The organization as shown to the operator: a lapsed plan is null. */
export type OperatedOrganization = Omit<Organization, 'plan'> & { readonly plan: Plan | null }

const update = query(
  (db, p: Placeholder<{ name: string; plan: string | null; second: number; updated: number; organization: string }>) =>
    db
      .updateTable('organizations')
      .set({ name: p('name'), plan: p('plan'), second_factor_required: p('second'), updated: p('updated') })
      .where('organization', '=', p('organization')),
)

/** Sets name, plan and whether people need a second factor. With plan `none`, every request is refused with 402 until a plan is set. Without an author, the system is the actor. */
export async function setOrganization(
  services: Pick<Services, 'store' | 'clock' | 'committed'>,
  organization: string,
  sent: OrganizationChange,
  author?: Author,
): Promise<OperatedOrganization> {
  const change = checkShape(Change, sent) as OrganizationChange
  const realms = await requireRealms(services.store, organization)
  const about = { organization, realms, action: 'organizations.update', ...author }
  return await commitSystemChange(services, about, async ({ tx, now, emit }) => {
    const before = (await tx.first(findOrganization, { organization })) as OrganizationRow
    const plan = change.plan === undefined ? before.plan : change.plan === 'none' ? null : change.plan
    const name = change.name ?? before.name
    const second = Number(change.second_factor_required ?? before.second_factor_required === 1)
    if (name === before.name && plan === before.plan && second === before.second_factor_required)
      return showOperated(before)
    const after = { ...before, name, plan, second_factor_required: second, updated: now }
    tx.write(update, { organization, name, plan, second, updated: now })
    emit(organizationUpdated, showOrganization(after), showOrganization(before))
    return showOperated(after)
  })
}

function showOperated(row: OrganizationRow): OperatedOrganization {
  return { ...showOrganization(row), plan: row.plan as Plan | null }
}
