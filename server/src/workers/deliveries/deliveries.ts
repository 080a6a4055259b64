/** Sends due deliveries to webhook endpoints. The worker runs in every process and claims each endpoint separately. */
import type { Services } from '../../api/services.ts'
import { onePerProcess } from '../leased-queue.ts'
import { worker_limits } from '../limits.ts'
import { runEverywhere, type Worker } from '../worker.ts'
import { Courier } from './courier.ts'
import { fanOutWorker } from './fan-out.ts'

const courierOf = onePerProcess((services) => new Courier(services))

export const deliveriesWorker: Worker = {
  name: 'webhook_deliveries',
  does: 'Sends due deliveries to webhook endpoints.',
  period_ms: 1_000,
  lease_ms: 30_000,
  batch_max: worker_limits.webhook_lanes_max,
  everywhere: true,
  wakeUp: 'deliveries',
  run: (services) => courierOf(services).claim(),
  end: (services) => courierOf(services).end(),
}

/** Creates and sends all due deliveries and records their results, so that tests need not wait. */
export async function drainDeliveries(services: Services): Promise<void> {
  for (;;) {
    const soFar = { started: 0, stored: 0, done: 0, error: null }
    const fannedOut = await runEverywhere(services, fanOutWorker, { ...soFar })
    const claimed = await courierOf(services).claim()
    await courierOf(services).idle()
    if (fannedOut === 0 && claimed === 0) return
  }
}
