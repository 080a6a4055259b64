/**
 * Starts runs by time: schedules at their stored next firing, due triggers when a task's due date plus the offset has
 * come. The clock advances in the transaction that starts the runs, so concurrent processes neither lose nor double a
 * firing; the firing's key prevents a repeat after the machine's clock goes back (contract/16#schedules).
 */
import type { Mode } from '../../api/declare/caller.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import { automation_limits } from '../../automations/limits.ts'
import { query } from '../../db/query.ts'
import type { AutomationClockRow } from '../../db/schema.ts'
import { fireDue, nothingDue } from '../../resources/automation_runs/fire-due.ts'
import { fireSchedule } from '../../resources/automation_runs/fire-schedule.ts'
import type { Worker } from '../worker.ts'

type ClockWithMode = AutomationClockRow & { readonly mode: string }

/** Due schedules, and all due triggers, which check their tasks themselves: one page in key order. */
const dueClocks = query<ClockWithMode, { now: number; realm: number; flow: string; node: string; count: number }>(
  (db, p) =>
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
  does: 'Starts automation runs of schedules and due dates.',
  period_ms: 1_000,
  lease_ms: 30_000,
  batch_max: automation_limits.automation_clocks_max,
  async run(services, count, stop) {
    const { store, clock } = services
    const now = clock.now()
    let after = { realm: -1, flow: '', node: '' }
    for (;;) {
      const found = await store.reader('system').all(dueClocks, { ...after, now, count })
      for (const row of found) {
        // The firings of a due trigger may exceed one transaction.
        while (!stop.aborted && (await fire(services, row))) {}
      }
      const last = found.at(-1)
      // All clocks are checked; later firings belong to the next run.
      if (last === undefined || found.length < count || stop.aborted) return 0
      after = last
    }
  },
}

/** Fires a clock once. Returns whether more is due now. */
async function fire(services: Services, row: ClockWithMode): Promise<boolean> {
  const { realm, organization } = row
  if (row.kind === 'due' && (await nothingDue(services.store.reader('system'), row, services.clock.now()))) return false
  const change = { organization, realms: [{ realm, mode: row.mode as Mode }], action: 'automation_runs.start' }
  const fired = await commitSystemChange(services, change, (transaction) =>
    row.kind === 'due' ? fireDue(transaction, row) : fireSchedule(transaction, row),
  )
  if (fired.begun > 0) services.wakeUps.call('automations')
  return fired.more
}
