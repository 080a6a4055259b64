/**
 * A process that executes automation runs until it kills itself when it passes the given point for the given time;
 * without a point, until its input ends.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { openServices } from '../../src/main.ts'
import { automationRunsWorker } from '../../src/workers/automations/runs.ts'
import { fastClock } from './fast-clock.ts'
import { mortalServices, type Orders } from './mortal.ts'

const { environment, pace, point, times } = JSON.parse(process.argv[2] as string) as Orders

const services = await openServices(readConfig(environment), { clock: fastClock(pace) })
const mortal = mortalServices(services, point, times)
const stop = new AbortController()
process.stdin.on('end', () => stop.abort()).resume()
process.stdout.write('ready\n')
while (!stop.signal.aborted) {
  await automationRunsWorker.run(mortal, automationRunsWorker.batch_max, stop.signal)
  await sleep(10)
}
await automationRunsWorker.end?.(mortal)
await services.close()
