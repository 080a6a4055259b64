/**
 * Fires schedules: a clock stores its next firing, and one transaction starts the runs of a firing and stores the next.
 * Firings missed during downtime become one run, or none with `misfire: "skip"` (contract/16#schedules).
 * `automations/cron.ts` computes the times, including clock changes.
 */
import { nextFiring } from '../../automations/cron.ts'
import { automation_limits } from '../../automations/limits.ts'
import type { NodeOf } from '../../automations/schema.ts'
import type { AutomationClockRow } from '../../db/schema.ts'
import { readFilter, resolveFilter } from '../tasks/shared/filter.ts'
import { readTasks } from '../tasks/shared/list.ts'
import { type Armed, type Fired, findArmed, nothing_fired, setClock } from './queries-clocks.ts'
import { type StartTransaction, startRun } from './start-run.ts'

type ScheduleNode = NodeOf<'trigger.schedule'>

/** Fires the schedule if it is due and not deliberately skipped, and stores its next firing. */
export async function fireSchedule(transaction: StartTransaction, name: AutomationClockRow): Promise<Fired> {
  const { tx, now } = transaction
  const armed = await findArmed(tx, name)
  const moment = armed?.clock.next_at ?? null
  if (armed === null || moment === null || moment > now) return nothing_fired
  const { clock, program } = armed
  const node = program.triggers.get(clock.node) as ScheduleNode
  setClock(tx, clock, { next_at: nextFiring(node.config, now) })
  const missed = now - moment > automation_limits.automation_misfire_ms
  if (missed && node.config.misfire === 'skip') return nothing_fired
  const tasks = node.config.task_query === undefined ? [null] : await tasksOf(transaction, armed, node)
  let begun = 0
  for (const task of tasks) {
    const key = task === null ? `schedule:${moment}` : `schedule:${moment}:${task}`
    const start = { flow: armed.flow, program, trigger: node.id, key, task, event: null, causes: [] }
    if ((await startRun(transaction, start)) !== null) begun++
  }
  return { begun, more: false }
}

/** The tasks that the schedule's query matches in the flow's workspace or project, oldest first. */
async function tasksOf(
  { tx: reader, now }: StartTransaction,
  { flow }: Armed,
  { config }: ScheduleNode,
): Promise<string[]> {
  const { organization, realm, workspace } = flow
  const read = readFilter(config.task_query ?? '', now)
  const scope = { reader, tenant: { organization, realm }, workspace, now, me: null }
  const filter = read.ok ? await resolveFilter(read, scope) : read
  // Filters are checked with the graph. One that no longer names its objects matches nothing.
  if (!filter.ok) return []
  const found = await readTasks(
    reader,
    flow.realm,
    { workspace: flow.workspace, project: flow.project === null ? undefined : [flow.project], filter },
    {
      keys: [],
      backwards: true,
      position: null,
      count: config.max_tasks ?? automation_limits.automation_schedule_tasks_max,
    },
    // Inside the transaction that starts the runs.
    { is_uninterrupted: true },
  )
  return found.map((task) => task.id)
}
