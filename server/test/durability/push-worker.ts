/** A process that sends notices to browsers until it kills itself at the given point; without a point, until its input ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { openServices } from '../../src/main.ts'
import { pushWorker } from '../../src/workers/push.ts'
import { fastClock } from './fast-clock.ts'
import { mortalServices, type Orders } from './mortal.ts'

const { environment, pace, point, times } = JSON.parse(process.argv[2] as string) as Orders

const services = await openServices(readConfig(environment), { clock: fastClock(pace) })
const mortal = mortalServices(services, point, times)
const stop = new AbortController()
process.stdin.on('end', () => stop.abort()).resume()
process.stdout.write('ready\n')
while (!stop.signal.aborted) {
  await pushWorker.run(mortal, pushWorker.batch_max, stop.signal)
  await sleep(10)
}
await services.close()
