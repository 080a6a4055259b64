import { limits } from '../api/limits.ts'
import { command, UsageError } from './command.ts'
import { withServices } from './open.ts'
import { organizationOption, text } from './options.ts'
import { facts } from './print.ts'

/** Changes an organization's plan or name. With plan none every request is refused until there is a plan again. */
export const organizationSet = command({
  name: 'organization set',
  group: 'Setting up',
  summary: "Change an organization's plan or name",
  details: '--plan none lets the plan lapse: every request is answered 402 until the organization has a plan again.',
  options: {
    organization: organizationOption,
    plan: { shows: '<plan>', does: 'Plan: studio, enterprise or none.', choices: ['studio', 'enterprise', 'none'] },
    name: { shows: '<name>', does: 'New name.', read: text(limits.organization_name_chars_max) },
  },
  examples: ['atrium organization set --organization org_01… --plan enterprise'],
  async run({ organization, plan, name }) {
    if (plan === undefined && name === undefined) throw new UsageError('Nothing to change. Give --plan or --name.')
    return await withServices(async (services) => {
      const { setOrganization } = await import('../resources/organizations/write.ts')
      const json = await setOrganization(services, organization, {
        ...(plan === undefined ? {} : { plan }),
        ...(name === undefined ? {} : { name }),
      })
      return { json, text: facts({ ...json, plan: json.plan ?? 'none' }) }
    })
  },
})
