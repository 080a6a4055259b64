import { command } from './command.ts'
import { emailOption, memberFields, memberOptions } from './member-options.ts'
import { withServices } from './open.ts'
import { organizationOption } from './options.ts'
import { facts } from './print.ts'

/** Adds a person to the organization; tasks are assigned to the `user` that is printed. */
export const memberAdd = command({
  name: 'member add',
  group: 'People',
  summary: 'Add a person to an organization',
  details: 'The member is active by default. Tasks are assigned to its user (usr_…).',
  options: { organization: organizationOption, email: { ...emailOption, required: true }, ...memberOptions },
  examples: ['atrium member add --organization org_01… --email ada@acme.example --first-name Ada --role Engineer'],
  async run({ organization, email, ...details }) {
    return await withServices(async (services) => {
      const { addMember } = await import('../resources/members/write.ts')
      const json = await addMember(services, organization, { email, ...memberFields(details) })
      return { json, text: facts(json) }
    })
  },
})
