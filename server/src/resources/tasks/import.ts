import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Id, listOf, Moment, OneOf } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { taskCreated, taskUpdated } from './events.ts'
import { importTasks } from './shared/import.ts'
import { Task, taskFields } from './task.ts'

const ExternalId = Type.String({ minLength: 1, maxLength: limits.external_id_chars_max })

const Drafts = Type.Array(
  Type.Object(
    {
      external_id: described(ExternalId, 'Id of the task in the source.'),
      version: Type.Optional(
        described(ExternalId, 'Changes when the task changes in the source, such as a hash of its row.'),
      ),
      created: Type.Optional(
        described(Moment, 'When the task was created in the source, in Unix seconds; needs `api:manage`.'),
      ),
      creator: Type.Optional(
        described(Id, 'User id of the member who created the task in the source; needs `api:manage`.'),
      ),
      title: Task.properties.title,
      ...taskFields,
    },
    { additionalProperties: false },
  ),
  {
    minItems: 1,
    maxItems: limits.batch_tasks_max,
    description: 'Tasks of the source, each external id once; all are taken or none.',
  },
)

const ImportedTask = Type.Object({
  object: described(Type.Literal('imported_task'), 'Kind of object: always `imported_task`.'),
  external_id: described(ExternalId, 'Id of the task in the source.'),
  task: described(Id, 'Id of the task.'),
  key: described(Type.String(), 'Key of the task, such as `KEP-42`.'),
  outcome: described(
    OneOf('created', 'unchanged', 'changed', 'deleted'),
    '`created`: a new task. Otherwise the task was imported before and is left as it is: `unchanged`; `changed` if ' +
      '`version` differs from that of the import; `deleted` if it was deleted since.',
  ),
})

/**
 * Creates tasks that come from another system, with the time and the author that they have there, each external id of a
 * source once in a workspace: a task that was imported before is found and left as it is. `created` and `creator` need a
 * credential with `api:manage`; events and the audit log name the credential that sent the request.
 */
export const importTasksOperation = writeOperation({
  id: 'tasks.import',
  method: 'POST',
  path: '/v1/tasks/import',
  summary: 'Import tasks from another system',
  scope: 'tasks:write',
  credits: 25,
  extension: true,
  body: {
    workspace: described(Id, 'Workspace of the tasks.'),
    source: described(
      Type.String({ minLength: 1, maxLength: limits.import_source_chars_max }),
      'Name of the system that the tasks come from, such as `jira`.',
    ),
    data: Drafts,
  },
  returns: listOf(ImportedTask, false),
  emits: [taskCreated, taskUpdated],
  example: {
    body: {
      workspace: '{workspace}',
      source: 'jira',
      data: [{ external_id: 'OPS-7', title: 'Rotate the certificates', created: 1_767_225_600 }],
    },
  },
  async handle(context) {
    const { workspace, source, data } = context.body
    for (const [i, each] of data.entries()) {
      for (const name of ['created', 'creator'] as const) {
        if (each[name] !== undefined && !context.caller.scopes.has('api:manage')) {
          const param = `data[${i}].${name}`
          const message = `${param} needs the scope api:manage, which the credential does not have.`
          throw refuse('insufficient_scope', { param, message })
        }
      }
    }
    const imported = await importTasks(context, workspace, source, data)
    return {
      object: 'list',
      url: '/v1/tasks',
      has_more: false,
      next_cursor: null,
      data: imported.map((each) => ({ object: 'imported_task', ...each })),
    }
  },
})
