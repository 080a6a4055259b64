/**
 * The one rule of columns with a status (contract/15#column-status): a task that enters such a column takes its status,
 * and a task that takes another status moves to the first column that has it. Every write of tasks settles them here.
 */
import { refuse } from '../../../api/declare/errors.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { ColumnRow, TaskRow } from '../../../db/schema.ts'
import type { TaskChanges } from '../task.ts'
import type { Placement, TaskReferences } from '../task-references.ts'
import { refuseContradiction } from './completion.ts'
import type { TaskWork } from './work.ts'

/** Where a task stands after a write, and the status that the write sets; undefined if it sets none. */
export interface Settlement extends Placement {
  readonly status: TaskChanges['status']
}

const findByStatus = query((db, p: Placeholder<{ realm: number; project: string; status: string }>) =>
  db
    .selectFrom('columns')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('status', '=', p('status'))
    .where('deleted_at', 'is', null)
    .orderBy('position')
    .orderBy('id')
    .limit(1),
)

/**
 * Settles the column and status of a task, of a new one without `task`. Refusals name a field with `prefix` before it. The
 * column's status replaces `status` if the request did not send it (`isDefault`).
 */
export async function settle(
  work: Pick<TaskWork, 'tx' | 'caller'>,
  references: TaskReferences,
  sent: TaskChanges,
  prefix: string,
  task?: TaskRow,
  isDefault = false,
): Promise<Settlement> {
  const placement = await references.resolvePlacement(sent, prefix, task)
  const { column } = placement
  const wanted = sent.status ?? (typeof sent.completed_at === 'number' ? 'done' : undefined)
  if (column === null) return { ...placement, status: sent.status }
  const isEntered = column !== task?.column
  const isNamed = sent.column !== undefined
  if (!isEntered && (wanted === undefined || (wanted === task?.status && !isNamed))) {
    return { ...placement, status: sent.status }
  }
  const row = await references.column(column, prefix)
  if (row.status === null || row.status === wanted) return { ...placement, status: sent.status }
  if (isEntered && (wanted === undefined || isDefault)) {
    refuseContradiction(row.status, sent.completed_at, prefix)
    return { ...placement, status: row.status as TaskChanges['status'] }
  }
  if (isEntered || isNamed) throw contradicts(row, wanted, prefix)
  const bound = { realm: row.realm, project: row.project, status: wanted as string }
  const target = await work.tx.first(findByStatus, bound)
  return { project: placement.project, column: target?.id ?? column, status: sent.status }
}

function contradicts(column: ColumnRow, status: string | undefined, prefix: string): Error {
  const param = `${prefix}status`
  const message =
    `${param} "${status}" contradicts the column "${column.name}", whose tasks are "${column.status}". ` +
    'Send one of the two.'
  return refuse('invalid_request_body', { param, message })
}
