import { readOperation } from '../../api/declare/operation.ts'
import { showTaskTemplate, TaskTemplate, taskTemplateNoun } from './task_template.ts'

/** Shows a task template. */
export const retrieveTaskTemplate = readOperation({
  id: 'task_templates.retrieve',
  method: 'GET',
  path: '/v1/task_templates/{id}',
  summary: 'Retrieve a task template',
  scope: 'tasks:read',
  credits: 1,
  target: taskTemplateNoun,
  returns: TaskTemplate,
  example: { params: { id: '{task_template}' } },
  handle: ({ target }) => showTaskTemplate(target),
})
