/**
 * Fires due triggers: a task is due for a trigger at its due date plus the trigger's offset. A clock has fired every
 * task up to its position (`through_at`, then `through_task`) and moves through the tasks in order of due date. A date
 * that is set later fires again. A date that has already passed when it is set does not fire, except within the grace
 * period by which an idle clock lags (contract/16#triggers).
 */

import { automation_limits } from '../../automations/limits.ts'
import type { NodeOf } from '../../automations/schema.ts'
import { query } from '../../db/query.ts'
import type { AutomationClockRow, TaskRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { programOfFlow } from './programs.ts'
import { type Armed, type Fired, findArmed, nothing_fired, setClock } from './queries/clocks.ts'
import { findActiveFlow } from './queries/flows.ts'
import { allowsDue } from './shared/due.ts'
import { Surroundings } from './shared/matches.ts'
import { type StartTransaction, startRun } from './start-run.ts'

/** Uses the index on (realm, due_at, id), so it is bounded whatever the other tasks are. */
const dueTasks = query<TaskRow, { realm: number; from: number; to: number; task: string; count: number }>((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('due_at', '>=', p('from'))
    .where('due_at', '<=', p('to'))
    .where((or) => or.or([or('due_at', '>', p('from')), or('id', '>', p('task'))]))
    .orderBy('due_at')
    .orderBy('id')
    .limit(p('count')),
)

type DueNode = NodeOf<'trigger.due'>

/** The tasks due after the clock's position and at or before `now`, earliest first. */
async function findDueTasks(
  reader: Reader,
  clock: AutomationClockRow,
  offset_ms: number,
  now: number,
  count: number,
): Promise<TaskRow[]> {
  const from = (clock.through_at ?? now) - offset_ms
  // Without a task, all tasks at that moment have fired; `~` sorts after every id.
  const task = clock.through_task ?? '~'
  return await reader.all(dueTasks, { realm: clock.realm, from, to: now - offset_ms, task, count })
}

/** Checks without a transaction whether the clock would neither fire nor move now. */
export async function nothingDue(reader: Reader, clock: AutomationClockRow, now: number): Promise<boolean> {
  const through = clock.through_at ?? now
  if (now < through || now - through > 2 * automation_limits.automation_due_grace_ms) return false
  const flow = await reader.first(findActiveFlow, { realm: clock.realm, id: clock.flow })
  if (flow === undefined || flow.version !== clock.version) return true
  const node = (await programOfFlow(reader, flow)).triggers.get(clock.node) as DueNode
  return (await findDueTasks(reader, clock, node.config.offset_seconds * 1000, now, 1)).length === 0
}

/** Starts a bounded number of due runs and moves the clock past them. */
export async function fireDue(transaction: StartTransaction, name: AutomationClockRow): Promise<Fired> {
  const { tx, now } = transaction
  const armed = await findArmed(tx, name)
  if (armed === null) return nothing_fired
  const { clock, program } = armed
  // The machine's clock went back. Moments that recur are recognized by their keys.
  if (now < (clock.through_at ?? now)) {
    setClock(tx, clock, { through_at: now, through_task: null })
    return nothing_fired
  }
  const node = program.triggers.get(clock.node) as DueNode
  const offset_ms = node.config.offset_seconds * 1000
  const tasks = await findDueTasks(tx, clock, offset_ms, now, automation_limits.automation_due_batch_max)
  let begun = 0
  for (const [i, task] of tasks.entries()) {
    if (await fireTask(transaction, armed, node, task)) begun++
    if (begun < automation_limits.automation_starts_max && i < tasks.length - 1) continue
    setClock(tx, clock, { through_at: (task.due_at ?? now) + offset_ms, through_task: task.id })
    return { begun, more: i < tasks.length - 1 || tasks.length === automation_limits.automation_due_batch_max }
  }
  const idle = now - automation_limits.automation_due_grace_ms
  if (idle > (clock.through_at ?? now)) setClock(tx, clock, { through_at: idle, through_task: null })
  return nothing_fired
}

/** Starts the run of one task if the trigger applies to it. */
async function fireTask(transaction: StartTransaction, armed: Armed, node: DueNode, task: TaskRow): Promise<boolean> {
  const { flow, program } = armed
  const around = new Surroundings(transaction.tx, flow.realm)
  const { allows, failure } = await allowsDue(around, flow, program, node, task, transaction.now)
  if (!allows && failure === null) return false
  const key = `due:${task.id}:${task.due_at}`
  const start = { flow, program, trigger: node.id, key, task: task.id, event: null, causes: [] }
  return (await startRun(transaction, failure === null ? start : { ...start, failure })) !== null
}
