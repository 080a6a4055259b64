/** A worker of automations in a process of its own that kills itself, for the rows about runs. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pace } from '../server/test/durability/fast-clock.ts'
import type { Point } from '../server/test/durability/mortal.ts'
import { run as runProgram } from '../server/test/durability/programs.ts'

/** Before a transaction, at its end but before its commit, and after its commit. */
export const points: readonly Point[] = ['before', 'inside', 'behind']
/** A lease of 15 seconds ends after a quarter of a second. */
export const rate = 60

/** A worker that outlives its runs, because they end early, would be waited for without end. */
const patience_ms = 20_000

/** Returns whether the worker has killed itself; one that has not after `patience_ms` is killed. */
export async function killWorker(orders: {
  readonly environment: Readonly<Record<string, string>>
  readonly pace: Pace
  readonly point: Point
  readonly times: number
}): Promise<boolean> {
  const doomed = runProgram('automations-worker.ts', JSON.stringify(orders))
  await doomed.line()
  const waiting = new AbortController()
  const late = sleep(patience_ms, true, { signal: waiting.signal, ref: false }).catch(() => false)
  const outlived = await Promise.race([doomed.line().then(() => false), late])
  waiting.abort()
  if (outlived) doomed.signal('SIGKILL')
  await doomed.end()
  return !outlived
}
