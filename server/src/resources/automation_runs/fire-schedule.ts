/**
 * Fires schedules: a clock stores its next firing, and one transaction starts the runs of a firing and stores the next.
 * Firings missed during downtime become one run, or none with `misfire: "skip"` (contract/16#schedules).
 * `automations/cron.ts` computes the times, including clock changes.
 */
import { nextFiring } from '../../automations/cron.ts'
import { automation_limits } from '../../automations/limits.ts'
import type { NodeOf } from '../../automations/schema.ts'
import type { AutomationClockRow } from '../../db/schema.ts'
import { type Fired, findArmed, nothing_fired, setClock } from './queries/clocks.ts'
import { tasksOfSchedule } from './shared/schedule-tasks.ts'
import { type StartTransaction, startRun } from './start-run.ts'

type ScheduleNode = NodeOf<'trigger.schedule'>

/** Fires the schedule if it is due and not deliberately skipped, and stores its next firing. */
export async function fireSchedule(transaction: StartTransaction, name: AutomationClockRow): Promise<Fired> {
  const { tx, now } = transaction
  const armed = await findArmed(tx, name)
  const moment = armed?.clock.next_at ?? null
  if (armed === null || moment === null || moment > now) return nothing_fired
  const { clock, flow, program } = armed
  const node = program.triggers.get(clock.node) as ScheduleNode
  setClock(tx, clock, { next_at: nextFiring(node.config, now) })
  const missed = now - moment > automation_limits.automation_misfire_ms
  if (missed && node.config.misfire === 'skip') return nothing_fired
  const isQuery = node.config.task_query !== undefined
  const tasks = isQuery ? await tasksOfSchedule(tx, flow, node.config, now, { is_uninterrupted: true }) : [null]
  let begun = 0
  for (const task of tasks) {
    const key = task === null ? `schedule:${moment}` : `schedule:${moment}:${task}`
    const start = { flow, program, trigger: node.id, key, task, event: null, causes: [] }
    if ((await startRun(transaction, start)) !== null) begun++
  }
  return { begun, more: false }
}
