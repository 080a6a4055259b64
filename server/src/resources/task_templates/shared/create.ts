/** Creates tasks from templates for the API and automations, so that both follow the same rules. */
import { Refusal, refuse } from '../../../api/declare/errors.ts'
import type { TaskRow, TaskTemplateRow } from '../../../db/schema.ts'
import { createTask, type TaskOrigin, type TaskWork } from '../../tasks/shared/create.ts'
import { fillIn, showTaskTemplate, type TemplateOverrides } from '../task_template.ts'

/** Creates a task from a template with the overridden fields and returns its row; see `createTask` and `fillIn`. */
export async function createFromTemplate(
  work: TaskWork,
  template: TaskTemplateRow,
  workspace: string,
  sent: TemplateOverrides,
  creator: Pick<TaskOrigin, 'creator'> = {},
): Promise<TaskRow> {
  const fields = fillIn(showTaskTemplate(template), sent, work.now)
  try {
    return await createTask(work, workspace, fields, {
      ...creator,
      template: template.id,
      hasDefaultStatus: sent.status === undefined,
    })
  } catch (error) {
    throw isOfTemplate(error, sent) ? unusable(error.options.param as string) : error
  }
}

/** Whether the refused value comes from the template and not from the request. */
function isOfTemplate(error: unknown, sent: TemplateOverrides): error is Refusal {
  if (!(error instanceof Refusal) || error.code !== 'invalid_request_body') return false
  const { param } = error.options
  if (param === undefined) return false
  const [name, key] = param.split('.')
  if (key !== undefined) return !Object.hasOwn(sent.custom_fields ?? {}, key)
  return !Object.hasOwn(sent, name as string)
}

function unusable(param: string): Error {
  return refuse('resource_conflict', { param, message: `The template's ${param} can no longer be used.` })
}
