import { limits } from '../api/limits.ts'
import { command } from './command.ts'
import { realmOf, withServices } from './open.ts'
import { list, modeOption, organizationOption, json as readJson, text, workspaceOption } from './options.ts'
import { facts } from './print.ts'

/** Adds a template that tasks are made from. */
export const taskTemplateAdd = command({
  name: 'task-template add',
  group: 'Work management',
  summary: 'Add a template that tasks are made from',
  details:
    'Defaults are a JSON object of some of title, description, status, priority, assignee, due_in_seconds, labels,\n' +
    'custom_fields.',
  options: {
    organization: organizationOption,
    workspace: workspaceOption,
    name: { shows: '<name>', does: 'name of the template', required: true, read: text(limits.title_chars_max) },
    defaults: { shows: '<json>', does: 'what its tasks begin with', required: true, read: readJson },
    overridable: { shows: '<list>', does: 'fields that a request may override; all by default', read: list },
    project: { shows: '<id>', does: 'project it belongs to' },
    mode: modeOption,
  },
  examples: [
    'atrium task-template add --organization org_01… --workspace wsp_01… --name Bug \\',
    `    --defaults '{"title":"Bug: ","priority":"high","labels":["bug"]}' --overridable title,assignee`,
  ],
  async run({ organization, mode, workspace, name, defaults, project, overridable }) {
    return await withServices(async (services) => {
      const { addTaskTemplate } = await import('../resources/task_templates/write.ts')
      const json = await addTaskTemplate(services, {
        organization,
        ...(await realmOf(services, organization, mode)),
        ...{ workspace, name, defaults },
        ...(project === undefined ? {} : { project }),
        ...(overridable === undefined ? {} : { overridable }),
      })
      return { json, text: facts(json) }
    })
  },
})
