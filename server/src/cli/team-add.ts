import { limits } from '../api/limits.ts'
import { command } from './command.ts'
import { withServices } from './open.ts'
import { organizationOption, text, textOrNone } from './options.ts'
import { facts } from './print.ts'

/** Adds a team to the organization. */
export const teamAdd = command({
  name: 'team add',
  group: 'People',
  summary: 'Add a team to an organization',
  options: {
    organization: organizationOption,
    name: { shows: '<name>', does: 'Name of the team.', required: true, read: text(limits.title_chars_max) },
    description: { shows: '<text>', does: 'Purpose of the team.', read: textOrNone(limits.team_description_chars_max) },
  },
  examples: ['atrium team add --organization org_01… --name Design --description "Everything that is seen"'],
  async run({ organization, name, description }) {
    return await withServices(async (services) => {
      const { addTeam } = await import('../resources/teams/write.ts')
      const json = await addTeam(services, organization, { name, ...(description ? { description } : {}) })
      return { json, text: facts(json) }
    })
  },
})
