import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { deleteDefinition } from '../workspaces/shared/definitions.ts'
import { templateDefinition } from './definition.ts'
import { taskTemplateDeleted } from './events.ts'
import { taskTemplateNoun } from './task_template.ts'

/** Deletes a task template. Its id then answers 410; tasks created from it stay as they are. */
export const deleteTaskTemplate = writeOperation({
  id: 'task_templates.delete',
  method: 'DELETE',
  path: '/v1/task_templates/{id}',
  summary: 'Delete a task template',
  scope: 'tasks:write',
  credits: 10,
  extension: true,
  target: taskTemplateNoun,
  returns: Deleted('task_template'),
  emits: [taskTemplateDeleted],
  example: { params: { id: '{task_template}' } },
  handle: (context) => deleteDefinition(templateDefinition, context, context.target),
})
