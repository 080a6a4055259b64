/** A trigger's clock with its flow, as a firing needs them (contract/16#schedules). */
import type { Program } from '../../../automations/program.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationClockRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { programOfFlow } from '../programs.ts'
import type { StartedFlow } from '../start-run.ts'
import { findActiveFlow } from './flows.ts'

/** How many runs a firing started, and whether more are due now. */
export interface Fired {
  readonly begun: number
  readonly more: boolean
}

export const nothing_fired: Fired = { begun: 0, more: false }

export type ClockName = Pick<AutomationClockRow, 'realm' | 'flow' | 'node'>

const findClock = query<AutomationClockRow, { realm: number; flow: string; node: string }>((db, p) =>
  db
    .selectFrom('automation_clocks')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow'))
    .where('node', '=', p('node')),
)

const moveClock = query(
  (
    db,
    p: Placeholder<{
      next_at: number | null
      through_at: number | null
      through_task: string | null
      realm: number
      flow: string
      node: string
    }>,
  ) =>
    db
      .updateTable('automation_clocks')
      .set({ next_at: p('next_at'), through_at: p('through_at'), through_task: p('through_task') })
      .where('realm', '=', p('realm'))
      .where('flow', '=', p('flow'))
      .where('node', '=', p('node')),
)

export interface Armed {
  readonly clock: AutomationClockRow
  readonly flow: StartedFlow
  readonly program: Program
}

/** The clock in this transaction with its flow and program; null if it was disarmed since it was found. */
export async function findArmed(tx: Tx, { realm, flow, node }: ClockName): Promise<Armed | null> {
  const clock = await tx.first(findClock, { realm, flow, node })
  const row = clock === undefined ? undefined : await tx.first(findActiveFlow, { realm, id: flow })
  if (clock === undefined || row === undefined || row.version !== clock.version) return null
  return { clock, flow: row, program: await programOfFlow(tx, row) }
}

export function setClock(
  tx: Tx,
  clock: AutomationClockRow,
  to: Partial<Pick<AutomationClockRow, 'next_at' | 'through_at' | 'through_task'>>,
): void {
  tx.write(moveClock, { ...clock, ...to })
}
