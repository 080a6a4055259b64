/** A worker of automations in a process of its own that kills itself, for the rows about runs. */
import type { Pace } from '../server/test/durability/fast-clock.ts'
import type { Point } from '../server/test/durability/mortal.ts'
import { run as runProgram } from '../server/test/durability/programs.ts'

/** Before a transaction, at its end but before its commit, and after its commit. */
export const points: readonly Point[] = ['before', 'inside', 'behind']
/** A lease of 15 seconds ends after a quarter of a second. */
export const rate = 60

/** Returns after the worker has killed itself. */
export async function killWorker(orders: {
  readonly environment: Readonly<Record<string, string>>
  readonly pace: Pace
  readonly point: Point
  readonly times: number
}): Promise<void> {
  const doomed = runProgram('automations-worker.ts', JSON.stringify(orders))
  await doomed.line()
  await doomed.line()
  await doomed.end()
}
