import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted, Id, listOf } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import type { EventRow, TaskRow } from '../../db/schema.ts'
import { dependencyCreated } from '../dependencies/events.ts'
import { taskChangeEvents, taskDeleteEvents } from '../tasks/shared/change.ts'
import type { TaskWork } from '../tasks/shared/work.ts'
import { showTask, Task } from '../tasks/task.ts'
import { findOwnChanges, loggedChange } from './changes.ts'
import { type LoggedChange, type Obstacle, planEdges, planTasks, type TaskPlan } from './plan.ts'
import { tasksById } from './queries.ts'
import { obstacle, writeUndo } from './restore.ts'

/**
 * Undoes the caller's own changes of tasks and dependencies of the last day, all or none: changed fields get their previous
 * values, created tasks are deleted. A field that has changed since, and a deletion, cannot be undone: 409 names the task and
 * the reason. An undo is a change itself and can be undone, unless it deleted a task.
 */
export const createUndo = writeOperation({
  id: 'undo.create',
  method: 'POST',
  path: '/v1/undo',
  summary: 'Undo own changes',
  scope: 'tasks:write',
  credits: 25,
  extension: true,
  body: {
    requests: Type.Array(Id, {
      minItems: 1,
      maxItems: limits.undo_requests_max,
      description: 'Requests that made the changes, by the value of `X-Request-Id`, each once and in any order.',
    }),
  },
  returns: listOf(Type.Union([Task, Deleted('task')]), false),
  emits: [...taskChangeEvents, ...taskDeleteEvents, dependencyCreated],
  example: { body: { requests: ['{other_change}'] } },
  async handle(context) {
    const { body, tx, caller, note } = context
    const events = await findOwnChanges(context, body.requests)
    requireUndoable(events)
    const plans = await planOf(context, events)
    const edges = planEdges(events.filter(({ object }) => object === 'dependency').map(loggedChange))
    await writeUndo(context, plans, edges, Math.min(...events.map(({ created }) => created)))
    const after = await liveTasks({ tx, caller }, plans)
    const data = plans.map(({ id }) => {
      const row = after.get(id)
      return row === undefined ? { id, object: 'task' as const, deleted: true as const } : showTask(row)
    })
    const workspaces = new Map(events.map((row) => [row.object_id, row.workspace]))
    if (plans.length > 0) {
      note({ targets: plans.map(({ id }) => ({ object: 'task', id, workspace: String(workspaces.get(id)) })) })
    }
    return { object: 'list', url: '/v1/tasks', has_more: false, next_cursor: null, data }
  },
})

const undoable_objects: ReadonlySet<string> = new Set(['task', 'dependency'])

/** Refuses changes of other objects, such as a comment that was deleted with its task. */
function requireUndoable(events: readonly EventRow[]): void {
  const other = events.find(({ object }) => !undoable_objects.has(object))
  if (other === undefined) return
  const message = `Changes of tasks and dependencies can be undone. The requests changed a ${other.object.replaceAll('_', ' ')}, too.`
  throw refuse('resource_conflict', { param: 'requests', message })
}

type Read = Pick<TaskWork, 'tx' | 'caller'>

async function liveTasks({ tx, caller }: Read, of: readonly { readonly id: string }[]): Promise<Map<string, TaskRow>> {
  if (of.length === 0) return new Map()
  const ids = JSON.stringify([...new Set(of.map(({ id }) => id))])
  const rows = await tx.all(tasksById, { realm: caller.realm, ids })
  return new Map(rows.map((row) => [row.id, row]))
}

/** The tasks that the undo changes or deletes, in the reverse order of their changes. */
async function planOf(read: Read, events: readonly EventRow[]): Promise<readonly TaskPlan[]> {
  const changes = events.filter(({ object }) => object === 'task').map(loggedChange)
  const rows = await liveTasks(read, changes)
  const planned = planTasks(changes, new Map([...rows].map(([id, row]) => [id, showTask(row)])))
  if ('obstacle' in planned) throw refusal(planned.obstacle, changes)
  return planned.plans.filter(({ isDeleted, fields }) => isDeleted || Object.keys(fields).length > 0)
}

function refusal(why: Obstacle, changes: readonly LoggedChange[]): Error {
  const key = String(changes.find(({ id }) => id === why.id)?.after.key)
  if (why.kind === 'field') return obstacle(key, `its ${why.field} has changed since.`)
  return obstacle(key, why.kind === 'deletion' ? 'a deletion is final.' : 'it was deleted since.')
}
