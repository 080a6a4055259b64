/**
 * A process that takes a lease of each kind and keeps it: of an endpoint whose receiver does not answer, a run whose
 * request is not answered, an export whose snapshot never begins, and the worker that writes exports.
 */
import { readConfig } from '../../src/config.ts'
import { HandClock } from '../../src/lib/clock.ts'
import { openServices } from '../../src/main.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { drainDeliveries } from '../../src/workers/deliveries/deliveries.ts'
import { exportsWorker } from '../../src/workers/exports.ts'
import { newLeaseOwner } from '../../src/workers/leases.ts'
import { runWorker } from '../../src/workers/worker.ts'

export interface Orders {
  readonly environment: Readonly<Record<string, string>>
  /** The fixed time of its clock, in milliseconds. */
  readonly now: number
}

const { environment, now } = JSON.parse(process.argv[2] as string) as Orders
const services = await openServices(readConfig(environment), { clock: new HandClock(now) })
const { store } = services

const snapshot = (): Promise<never> => {
  process.stdout.write('exporting\n')
  return new Promise(() => {})
}
const stuck = { ...services, store: Object.assign(Object.create(store), { snapshot }) }

await Promise.all([
  drainDeliveries(services),
  drainRuns(services),
  runWorker(stuck, exportsWorker, newLeaseOwner(store)),
])
