/**
 * Due triggers: a task's moment is its due date plus the trigger's offset. A clock has fired all moments up to its
 * position (`through_at`, there of the tasks up to `through_task`), and moves through the tasks in the order of their
 * dates. A date that is set later gets its moment again; one whose moment has passed already fires nothing, but for the
 * grace by which an idle clock stays behind (decisions §16).
 */
import { triggerAllows } from '../../automations/resolve.ts'
import type { NodeOf } from '../../automations/schema.ts'
import { triggerVariables } from '../../automations/variables.ts'
import { query } from '../../db/query.ts'
import type { AutomationClockRow, TaskRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'
import { programOfFlow } from './programs.ts'
import { type Armed, type Fired, findArmed, nothing_fired, setClock } from './queries-clocks.ts'
import { findActiveFlow } from './queries-flows.ts'
import { factsOf, Surroundings } from './queries-matches.ts'
import { type StartWork, startRun } from './queries-start.ts'

/** Served by the index on (realm, due_at, id): bounded, whatever else the tasks are. */
const dueBehind = query<TaskRow>((db, p) =>
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

/** The tasks whose moments lie behind the clock's position and not behind `now`, the earliest first. */
async function tasksBehind(
  reader: Reader,
  clock: AutomationClockRow,
  offset_ms: number,
  now: number,
  count: number,
): Promise<TaskRow[]> {
  const from = (clock.through_at ?? now) - offset_ms
  // Without a task the moment itself has been fired for all: no id is behind the largest.
  const task = clock.through_task ?? '~'
  return await reader.all(dueBehind, { realm: clock.realm, from, to: now - offset_ms, task, count })
}

/** A look without a transaction: whether the clock would neither fire nor be moved now. */
export async function nothingDue(reader: Reader, clock: AutomationClockRow, now: number): Promise<boolean> {
  const through = clock.through_at ?? now
  if (now < through || now - through > 2 * limits.automation_due_grace_ms) return false
  const flow = await reader.first(findActiveFlow, { realm: clock.realm, id: clock.flow })
  if (flow === undefined || flow.version !== clock.version) return true
  const node = (await programOfFlow(reader, flow)).triggers.get(clock.node) as DueNode
  return (await tasksBehind(reader, clock, node.config.offset_seconds * 1000, now, 1)).length === 0
}

/** Begins the runs whose moments have come, a bounded number, and moves the clock behind them. */
export async function fireDue(work: StartWork, name: AutomationClockRow): Promise<Fired> {
  const { tx, now } = work
  const armed = await findArmed(tx, name)
  if (armed === null) return nothing_fired
  const { clock, program } = armed
  // The machine's clock went back: moments that come again are known by their keys.
  if (now < (clock.through_at ?? now)) {
    setClock(tx, clock, { through_at: now, through_task: null })
    return nothing_fired
  }
  const node = program.triggers.get(clock.node) as DueNode
  const offset_ms = node.config.offset_seconds * 1000
  const tasks = await tasksBehind(tx, clock, offset_ms, now, limits.automation_due_batch_max)
  let begun = 0
  for (const [i, task] of tasks.entries()) {
    if (await fireTask(work, armed, node, task)) begun++
    if (begun < limits.automation_starts_max && i < tasks.length - 1) continue
    setClock(tx, clock, { through_at: (task.due_at ?? now) + offset_ms, through_task: task.id })
    return { begun, more: i < tasks.length - 1 || tasks.length === limits.automation_due_batch_max }
  }
  const idle = now - limits.automation_due_grace_ms
  if (idle > (clock.through_at ?? now)) setClock(tx, clock, { through_at: idle, through_task: null })
  return nothing_fired
}

/** Begins the run of one task, if the trigger is about it. */
async function fireTask(work: StartWork, armed: Armed, node: DueNode, task: TaskRow): Promise<boolean> {
  const { flow, program } = armed
  if (task.deleted_at !== null || task.is_archived === 1 || task.workspace !== flow.workspace) return false
  if (flow.project !== null && task.project !== flow.project) return false
  if (node.config.only_open !== false && (task.status === 'done' || task.status === 'canceled')) return false
  const around = new Surroundings(work.tx, flow.realm)
  const about = { event: null, task: await around.task(task.id, program) }
  const facts = factsOf(flow, await around.org(flow.organization), about, work.now)
  const { allows, failure } = triggerAllows(program, node.id, triggerVariables(facts))
  if (!allows && failure === null) return false
  const key = `due:${task.id}:${task.due_at}`
  const start = { flow, program, trigger: node.id, key, task: task.id, event: null, causes: [] }
  return (await startRun(work, failure === null ? start : { ...start, failure })) !== null
}
