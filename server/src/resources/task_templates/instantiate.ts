import Type from 'typebox'
import { Refusal, refuse } from '../../api/errors.ts'
import { writeOperation } from '../../api/operation.ts'
import { Id, Title } from '../../api/shapes.ts'
import { taskCreated } from '../tasks/events.ts'
import { createTask } from '../tasks/queries-create.ts'
import { showTask, Task, taskFields } from '../tasks/task.ts'
import { fillIn, showTaskTemplate, taskTemplateNoun } from './task_template.ts'

const { completed_at: _, ...overrides } = taskFields

/** Creates a task as the template says; what the template does not let be overridden is refused. */
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
  emits: [taskCreated],
  example: { params: { id: '{task_template}' }, body: { workspace: '{workspace}', title: 'Cut the release branch' } },
  async handle(context) {
    const { target, body, now } = context
    const { workspace, ...sent } = body
    const fields = fillIn(showTaskTemplate(target), sent, now)
    try {
      return showTask(await createTask(context, workspace, fields, { template: target.id }))
    } catch (error) {
      throw isOfTemplate(error, sent) ? unusable(error.options.param as string) : error
    }
  },
})

/** What is refused stands in the template, not in the request: the request is right, the template is out of date. */
function isOfTemplate(error: unknown, sent: object): error is Refusal {
  if (!(error instanceof Refusal) || error.code !== 'invalid_request_body') return false
  return error.options.param !== undefined && !Object.hasOwn(sent, error.options.param)
}

function unusable(param: string): Error {
  return refuse('resource_conflict', { param, message: `The template's ${param} can no longer be used.` })
}
