import { refuse } from '../api/declare/errors.ts'
import type { Store } from '../db/store.ts'
import { command, UsageError } from './command.ts'
import { emailOption, memberFields, memberOptions } from './member-options.ts'
import { withServices } from './open.ts'
import { organizationOption } from './options.ts'
import { facts } from './print.ts'

const { required: _, ...anyOrganization } = organizationOption

/** Changes the given fields of a member. */
export const memberSet = command({
  name: 'member set',
  group: 'People',
  summary: 'Change a member',
  argument: { shows: '<id>', does: 'Id of the member (mbr_…).' },
  options: { organization: anyOrganization, email: emailOption, ...memberOptions },
  examples: ['atrium member set mbr_01… --status inactive'],
  async run({ organization, email, ...details }, id) {
    const change = { ...(email === undefined ? {} : { email }), ...memberFields(details) }
    if (Object.keys(change).length === 0) throw new UsageError('Nothing to change. Give an option such as --status.')
    return await withServices(async (services) => {
      const { setMember } = await import('../resources/members/write.ts')
      if (organization !== undefined) await requireMemberOf(services.store, organization, id)
      const json = await setMember(services, id, change)
      return { json, text: facts(json) }
    })
  },
})

/** Naming the organization guards against an id that was mixed up. */
async function requireMemberOf(store: Store, organization: string, id: string): Promise<void> {
  const { findAnywhere } = await import('../resources/members/queries.ts')
  const found = await store.reader('system').first(findAnywhere, { id })
  if (found?.organization === organization) return
  throw refuse('resource_not_found', { param: 'id', message: `There is no member ${id} of ${organization}.` })
}
