/**
 * Begins runs because of the time: schedules at their stored next firing, due triggers when a task's date plus their
 * offset has come. A clock moves on in the transaction that begins its runs, so a firing is neither lost nor doubled,
 * whoever looks at the same time; a firing's key keeps it from happening again even when the machine's clock goes back
 * (decisions §16).
 */
import type { Mode } from '../api/caller.ts'
import type { Services } from '../api/services.ts'
import { commitSystemChange } from '../api/system-change.ts'
import { query } from '../db/query.ts'
import type { AutomationClockRow } from '../db/schema.ts'
import { limits } from '../lib/limits.ts'
import { fireDue, nothingDue } from '../resources/automation_runs/queries-due.ts'
import { fireSchedule } from '../resources/automation_runs/queries-schedule.ts'
import type { Worker } from './worker.ts'

/** Schedules whose firing has come, and all due triggers, which look for themselves. */
const clocksToLookAt = query<AutomationClockRow & { readonly mode: string }>((db, p) =>
  db
    .selectFrom('automation_clocks')
    .innerJoin('realms', 'realms.realm', 'automation_clocks.realm')
    .selectAll('automation_clocks')
    .select('realms.mode')
    .where((or) => or.or([or('next_at', '<=', p('now')), or('kind', '=', 'due')]))
    .orderBy('automation_clocks.realm')
    .orderBy('flow')
    .orderBy('node'),
)

export const automationClocksWorker: Worker = {
  name: 'automation_clocks',
  does: 'Begins automation runs of schedules and due dates.',
  period_ms: 1_000,
  lease_ms: 30_000,
  batch_max: limits.automation_clocks_max,
  async run(services, _batch_max, stop) {
    const { store, clock } = services
    const found = await store.reader('system').all(clocksToLookAt, { now: clock.now() })
    for (const row of found) {
      // A due trigger may have more than fits into one transaction.
      while (!stop.aborted && (await fire(services, row))) {}
    }
    return 0
  },
}

/** Fires a clock once. Returns whether there is more to fire now. */
async function fire(services: Services, row: AutomationClockRow & { readonly mode: string }): Promise<boolean> {
  const { realm, organization } = row
  if (row.kind === 'due' && (await nothingDue(services.store.reader('system'), row, services.clock.now()))) return false
  const change = { organization, realms: [{ realm, mode: row.mode as Mode }], action: 'automation_runs.start' }
  const fired = await commitSystemChange(services, change, (work) =>
    row.kind === 'due' ? fireDue(work, row) : fireSchedule(work, row),
  )
  if (fired.begun > 0) services.wakeUps.call('automations')
  return fired.more
}
