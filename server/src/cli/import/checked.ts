/**
 * A draft against what the API takes: the same schema that the server checks with, so that what is refused is known before
 * anything is written.
 */
import Type from 'typebox'
import { Refusal } from '../../api/declare/errors.ts'
import { Title } from '../../api/declare/shapes.ts'
import { checkShape } from '../../api/request/validate.ts'
import { bounded, type Fault } from '../../imports/bounds.ts'
import type { Entry, TaskFields } from '../../imports/draft.ts'
import { taskFields } from '../../resources/tasks/task.ts'

const NewTask = Type.Object({ title: Title, ...taskFields }, { additionalProperties: false })

/** The entry with its draft checked; a draft that the API would refuse becomes refusals. */
export const checked = (entry: Entry, cut: boolean): Entry => bounded(entry, cut, schemaFaults)

function schemaFaults(fields: TaskFields): Fault[] {
  try {
    checkShape(NewTask, fields)
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { details, param = '' } = error.options
    return [...(details ?? [{ param, message: error.message }])]
  }
}
