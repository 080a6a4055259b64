import { writeOperation } from '../../api/declare/operation.ts'
import { changeDefinition } from '../workspaces/shared/definitions.ts'
import { template_changes, templateDefinition } from './definition.ts'
import { taskTemplateUpdated } from './events.ts'
import { TaskTemplate, taskTemplateNoun } from './task_template.ts'

/** Changes the fields of a template that are sent; `defaults` replaces all defaults. Tasks created from it stay as they are. */
export const updateTaskTemplate = writeOperation({
  id: 'task_templates.update',
  method: 'PATCH',
  path: '/v1/task_templates/{id}',
  summary: 'Update a task template',
  scope: 'tasks:write',
  credits: 10,
  extension: true,
  target: taskTemplateNoun,
  body: template_changes,
  returns: TaskTemplate,
  emits: [taskTemplateUpdated],
  example: { params: { id: '{task_template}' }, body: { defaults: { title: 'Cut the branch', priority: 'high' } } },
  handle: (context) => changeDefinition(templateDefinition, context, context.target, context.body),
})
