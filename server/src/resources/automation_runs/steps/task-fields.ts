/** Checks the task fields that a step computed by the rules for requests. */
import Type from 'typebox'
import { Title } from '../../../api/declare/shapes.ts'
import { checkShape } from '../../../api/request/validate.ts'
import { type NewTask, type TaskChanges, taskFields } from '../../tasks/task.ts'

const closed = { additionalProperties: false }
const Changes = Type.Object({ title: Type.Optional(Title), ...taskFields }, closed)
const Fields = Type.Object({ title: Title, ...taskFields }, closed)

/** Checks changes of a task; refuses with `invalid_request_body` what PATCH refuses. */
export function checkTaskChanges(fields: object): TaskChanges {
  return checkShape(Changes, fields) as TaskChanges
}

/** Checks a new task; refuses with `invalid_request_body` what POST refuses. */
export function checkNewTask(fields: object): NewTask {
  return checkShape(Fields, fields) as NewTask
}
