/**
 * A process that executes automation runs until it kills itself when it passes the given point for the given time;
 * without a point, until its input ends.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import type { Store } from '../../src/db/store.ts'
import type { Egress } from '../../src/egress/egress.ts'
import { openServices } from '../../src/main.ts'
import { automationRunsWorker } from '../../src/workers/automations/runs.ts'
import { fastClock, type Pace } from './fast-clock.ts'

/** Before a transaction, at its end but before its commit, after its commit; before and after an outside call. */
export type Point = 'before' | 'inside' | 'behind' | 'sending' | 'sent'

export interface Orders {
  readonly environment: Readonly<Record<string, string>>
  readonly pace: Pace
  readonly point: Point | null
  readonly times: number
}

const { environment, pace, point, times } = JSON.parse(process.argv[2] as string) as Orders

let passed = 0

/** Passes a point. Does not return from the one at which it is to die. */
function pass(here: Point): void {
  if (here === point && ++passed === times) process.kill(process.pid, 'SIGKILL')
}

const services = await openServices(readConfig(environment), { clock: fastClock(pace) })
const { store, egress } = services

const mortalStore = Object.assign(Object.create(store), {
  write: (async (scope, job, options) => {
    if (scope === 'system') return await store.write(scope, job, options)
    pass('before')
    const value = await store.write(
      scope,
      async (tx) => {
        const made = await job(tx)
        pass('inside')
        return made
      },
      options,
    )
    pass('behind')
    return value
  }) as Store['write'],
})

const mortalEgress = Object.assign(Object.create(egress), {
  check: (text: string) => egress.check(text),
  send: (async (request) => {
    pass('sending')
    const result = await egress.send(request)
    pass('sent')
    return result
  }) as Egress['send'],
})

const mortal = { ...services, store: mortalStore, egress: mortalEgress }
const stop = new AbortController()
process.stdin.on('end', () => stop.abort()).resume()
process.stdout.write('ready\n')
while (!stop.signal.aborted) {
  await automationRunsWorker.run(mortal, automationRunsWorker.batch_max, stop.signal)
  await sleep(10)
}
await automationRunsWorker.end?.(mortal)
await services.close()
