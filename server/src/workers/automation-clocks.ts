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

type Found = AutomationClockRow & { readonly mode: string }

/** Schedules whose firing has come, and all due triggers, which look for themselves: a page in the order of their key. */
const clocksBehind = query<Found>((db, p) =>
  db
    .selectFrom('automation_clocks as clock')
    .innerJoin('realms', 'realms.realm', 'clock.realm')
    .selectAll('clock')
    .select('realms.mode')
    .where((or) => or.or([or('clock.next_at', '<=', p('now')), or('clock.kind', '=', 'due')]))
    .where((or) =>
      or(or.refTuple('clock.realm', 'clock.flow', 'clock.node'), '>', or.tuple(p('realm'), p('flow'), p('node'))),
    )
    .orderBy('clock.realm')
    .orderBy('clock.flow')
    .orderBy('clock.node')
    .limit(p('count')),
)

export const automationClocksWorker: Worker = {
  name: 'automation_clocks',
  does: 'Begins automation runs of schedules and due dates.',
  period_ms: 1_000,
  lease_ms: 30_000,
  batch_max: limits.automation_clocks_max,
  async run(services, count, stop) {
    const { store, clock } = services
    const now = clock.now()
    let after = { realm: -1, flow: '', node: '' }
    for (;;) {
      const found = await store.reader('system').all(clocksBehind, { ...after, now, count })
      for (const row of found) {
        // A due trigger may have more than fits into one transaction.
        while (!stop.aborted && (await fire(services, row))) {}
      }
      const last = found.at(-1)
      // All have been looked at: what has come since is the next run's.
      if (last === undefined || found.length < count || stop.aborted) return 0
      after = last
    }
  },
}

/** Fires a clock once. Returns whether there is more to fire now. */
async function fire(services: Services, row: Found): Promise<boolean> {
  const { realm, organization } = row
  if (row.kind === 'due' && (await nothingDue(services.store.reader('system'), row, services.clock.now()))) return false
  const change = { organization, realms: [{ realm, mode: row.mode as Mode }], action: 'automation_runs.start' }
  const fired = await commitSystemChange(services, change, (work) =>
    row.kind === 'due' ? fireDue(work, row) : fireSchedule(work, row),
  )
  if (fired.begun > 0) services.wakeUps.call('automations')
  return fired.more
}
