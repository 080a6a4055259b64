import { limits } from '../api/limits.ts'
import { command } from './command.ts'
import { realmOf, withServices } from './open.ts'
import { modeOption, organizationOption, text, workspaceOption } from './options.ts'
import { facts } from './print.ts'

/** Adds a filter for lists of tasks that the whole team sees. */
export const savedFilterAdd = command({
  name: 'saved-filter add',
  group: 'Work management',
  summary: 'Add a saved filter that the team sees',
  details: 'The expression is written as in GET /v1/tasks?filter=…, the order as in ?sort=….',
  options: {
    organization: organizationOption,
    workspace: workspaceOption,
    name: { shows: '<name>', does: 'Name of the filter.', required: true, read: text(limits.title_chars_max) },
    filter: { shows: '<expression>', does: 'Expression that selects the tasks.', required: true },
    project: { shows: '<id>', does: 'Id of the project.' },
    sort: { shows: '<keys>', does: 'Sort order, such as -priority,due_at.' },
    mode: modeOption,
  },
  examples: [
    `atrium saved-filter add --organization org_01… --workspace wsp_01… --name Urgent --filter 'priority >= high'`,
  ],
  async run({ organization, mode, workspace, name, filter, project, sort }) {
    return await withServices(async (services) => {
      const { addSavedFilter } = await import('../resources/saved_filters/write.ts')
      const json = await addSavedFilter(services, {
        organization,
        ...(await realmOf(services, organization, mode)),
        ...{ workspace, name, filter },
        ...(project === undefined ? {} : { project }),
        ...(sort === undefined ? {} : { sort }),
      })
      return { json, text: facts(json) }
    })
  },
})
