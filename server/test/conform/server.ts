/** What the suite is tried on: a server with an organization, its automations, a receiver of webhooks and a faulty proxy. */
import { catalogue } from '../../src/catalogue.ts'
import type { Cell, Report } from '../../src/conform/report.ts'
import { type ConformOptions, conform } from '../../src/conform/run.ts'
import type { EngineName } from '../engines.ts'
import { openReceiver } from '../receiver.ts'
import { openWorld, type World } from '../world.ts'
import { startAutomations } from './automations.ts'
import { type FaultyServer, openFaultyServer } from './faulty-server.ts'
import { fill } from './organization.ts'

export interface Tried {
  readonly world: World
  readonly faulty: FaultyServer
  /** Runs the suite on the sound server, with the test key, unless `options` say otherwise. */
  run(options?: Partial<ConformOptions>): Promise<Report>
  close(): Promise<void>
}

export async function openTried(engine: EngineName): Promise<Tried> {
  const world = await openWorld(engine)
  // Answers are compared with their Date.
  world.clock.set(Date.now())
  const receiver = await openReceiver()
  const faulty = await openFaultyServer(world.server.url, world.acme.testKey)
  await fill(world)
  const stopAutomations = startAutomations(world.services)
  const { acme, server } = world
  const keys = { key: acme.testKey, otherKey: acme.key }
  return {
    world,
    faulty,
    run: (options = {}) =>
      conform(catalogue, { url: server.url, ...keys, receiver: receiver.url, say: () => {}, ...options }),
    async close() {
      await stopAutomations()
      await faulty.close()
      await receiver.close()
      await world.close()
    },
  }
}

export function violations({ cells }: Report): Cell[] {
  return cells.filter(({ status }) => status === 'violation')
}
