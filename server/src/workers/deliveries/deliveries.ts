/** Sends what is due to webhook endpoints. Runs in every process; what it sends is claimed endpoint by endpoint. */
import type { Services } from '../../api/services.ts'
import { worker_limits } from '../limits.ts'
import { runEverywhere, type Worker } from '../worker.ts'
import { Courier } from './courier.ts'
import { fanOutWorker } from './fan-out.ts'

/** One for the services of a process: its lanes outlive the run that opened them. */
const couriers = new WeakMap<Services, Courier>()

function courierOf(services: Services): Courier {
  let courier = couriers.get(services)
  if (courier === undefined) {
    courier = new Courier(services)
    couriers.set(services, courier)
  }
  return courier
}

export const deliveriesWorker: Worker = {
  name: 'webhook_deliveries',
  does: 'Sends what is due to webhook endpoints.',
  period_ms: 1_000,
  lease_ms: 30_000,
  batch_max: worker_limits.webhook_lanes_max,
  everywhere: true,
  wakeUp: 'deliveries',
  run: (services) => courierOf(services).takeOn(),
  end: (services) => courierOf(services).end(),
}

/** Makes and sends all that is due now, and waits until it is written down: what tests do instead of waiting. */
export async function drainDeliveries(services: Services): Promise<void> {
  for (;;) {
    const soFar = { started: 0, told: 0, done: 0, error: null }
    const fanned = await runEverywhere(services, fanOutWorker, { ...soFar })
    const begun = await courierOf(services).takeOn()
    await courierOf(services).idle()
    if (fanned === 0 && begun === 0) return
  }
}
