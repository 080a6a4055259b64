/**
 * Schedules: a clock stores its next firing. When that has come its runs begin and the next one is stored, in one
 * transaction. Firings that were missed (nothing ran, or the flow's process was down) become one run, or none, as the
 * node says. What a moment is, daylight-saving changes included, is the calendar's own business (`automations/cron.ts`).
 */
import { nextFiring } from '../../automations/cron.ts'
import type { NodeOf } from '../../automations/schema.ts'
import type { AutomationClockRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'
import { readFilter } from '../tasks/queries-filter.ts'
import { readTasks } from '../tasks/queries-page.ts'
import { type Armed, type Fired, findArmed, nothing_fired, setClock } from './queries-clocks.ts'
import { type StartWork, startRun } from './queries-start.ts'

type ScheduleNode = NodeOf<'trigger.schedule'>

/** Fires the schedule, if its moment has come and it was not missed on purpose, and stores its next one. */
export async function fireSchedule(work: StartWork, name: AutomationClockRow): Promise<Fired> {
  const { tx, now } = work
  const armed = await findArmed(tx, name)
  const moment = armed?.clock.next_at ?? null
  if (armed === null || moment === null || moment > now) return nothing_fired
  const { clock, program } = armed
  const node = program.triggers.get(clock.node) as ScheduleNode
  setClock(tx, clock, { next_at: nextFiring(node.config, now) })
  const missed = now - moment > limits.automation_misfire_ms
  if (missed && node.config.misfire === 'skip') return nothing_fired
  const tasks = node.config.task_query === undefined ? [null] : await tasksOf(tx, armed, node)
  let begun = 0
  for (const task of tasks) {
    const key = task === null ? `schedule:${moment}` : `schedule:${moment}:${task}`
    const start = { flow: armed.flow, program, trigger: node.id, key, task, event: null, causes: [] }
    if ((await startRun(work, start)) !== null) begun++
  }
  return { begun, more: false }
}

/** The tasks that the schedule's query finds now in the flow's workspace or project, the oldest first. */
async function tasksOf(reader: Reader, { flow }: Armed, { config }: ScheduleNode): Promise<string[]> {
  const filter = readFilter(config.task_query ?? '')
  // Checked when the graph was: what this version of the program cannot read any more finds nothing.
  if (!filter.ok) return []
  const found = await readTasks(
    reader,
    flow.realm,
    { workspace: flow.workspace, project: flow.project === null ? undefined : [flow.project], filter },
    { keys: [], backwards: true, position: null, count: config.max_tasks ?? limits.automation_schedule_tasks_max },
    // Inside of the transaction that begins the runs.
    { at_once: true },
  )
  return found.map((task) => task.id)
}
