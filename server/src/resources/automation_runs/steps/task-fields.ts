/** The fields of a task as a step computed them: they must be what a request could send. */
import Type from 'typebox'
import { Title } from '../../../api/shapes.ts'
import { checkShape } from '../../../api/validate.ts'
import { type NewTask, type TaskChanges, taskFields } from '../../tasks/task.ts'

const closed = { additionalProperties: false }
const Changes = Type.Object({ title: Type.Optional(Title), ...taskFields }, closed)
const Fields = Type.Object({ title: Title, ...taskFields }, closed)

/** What is to change of a task. Refuses with `invalid_request_body` what PATCH would. */
export function checkTaskChanges(fields: object): TaskChanges {
  return checkShape(Changes, fields) as TaskChanges
}

/** A new task. Refuses with `invalid_request_body` what POST would. */
export function checkNewTask(fields: object): NewTask {
  return checkShape(Fields, fields) as NewTask
}
