import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id, Title } from '../../api/declare/shapes.ts'
import { taskCreated, taskUpdated } from '../tasks/events.ts'
import { showTask, Task, taskFields } from '../tasks/task.ts'
import { createFromTemplate } from './shared/create.ts'
import { taskTemplateNoun } from './task_template.ts'

/** The template says which of these a request may set. */
const { completed_at: _, start_at: __, parent: ___, ...overrides } = taskFields

/** Creates a task from a template. Fields that are not in `overridable` are refused. */
export const instantiateTaskTemplate = writeOperation({
  id: 'task_templates.instantiate',
  method: 'POST',
  path: '/v1/task_templates/{id}/instantiate',
  summary: 'Create a task from a template',
  scope: 'tasks:write',
  credits: 10,
  target: taskTemplateNoun,
  body: { workspace: Id, title: Type.Optional(Title), ...overrides },
  returns: Task,
  emits: [taskCreated, taskUpdated],
  example: { params: { id: '{task_template}' }, body: { workspace: '{workspace}', title: 'Cut the release branch' } },
  async handle(context) {
    const { workspace, ...sent } = context.body
    return showTask(await createFromTemplate(context, context.target, workspace, sent))
  },
})
