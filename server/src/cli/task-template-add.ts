import { limits } from '../api/limits.ts'
import { command } from './command.ts'
import { realmOf, withServices } from './open.ts'
import { list, modeOption, organizationOption, json as readJson, text, workspaceOption } from './options.ts'
import { facts } from './print.ts'

/** Adds a template that tasks are made from. */
export const taskTemplateAdd = command({
  name: 'task-template add',
  group: 'Work management',
  summary: 'Add a template for new tasks',
  details:
    'The defaults are a JSON object with any of title, description, status, priority, assignee, due_in_seconds, labels and\n' +
    'custom_fields.',
  options: {
    organization: organizationOption,
    workspace: workspaceOption,
    name: { shows: '<name>', does: 'Name of the template.', required: true, read: text(limits.title_chars_max) },
    defaults: { shows: '<json>', does: 'Initial fields of its tasks.', required: true, read: readJson },
    overridable: { shows: '<list>', does: 'Fields that a request may override; all by default.', read: list },
    project: { shows: '<id>', does: 'Id of the project.' },
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
