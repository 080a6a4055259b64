import { actingUser } from '../../api/declare/caller.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { createDefinition } from '../workspaces/shared/definitions.ts'
import { new_template, templateDefinition } from './definition.ts'
import { taskTemplateCreated } from './events.ts'
import { TaskTemplate } from './task_template.ts'

/** Creates a task template. Defaults that are not sent are null or empty. */
export const createTaskTemplate = writeOperation({
  id: 'task_templates.create',
  method: 'POST',
  path: '/v1/task_templates',
  summary: 'Create a task template',
  scope: 'tasks:write',
  credits: 10,
  extension: true,
  body: new_template,
  returns: TaskTemplate,
  emits: [taskTemplateCreated],
  example: {
    body: {
      workspace: '{workspace}',
      name: 'Release',
      defaults: { title: 'Cut the release branch', labels: ['release'], due_in_seconds: 86_400 },
      overridable: ['title', 'assignee'],
    },
  },
  handle: (context) => createDefinition(templateDefinition, context, context.body, actingUser(context.caller)),
})
