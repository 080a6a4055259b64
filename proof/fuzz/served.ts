/**
 * A server in a process of its own, so that its event loop is measured alone: a test world on one engine, with commands of the
 * row by message.
 */
import './no-lookups.ts'
import { foundOrganization } from '../../server/src/resources/organizations/found.ts'
import { populate } from '../../server/test/things.ts'
import { type Organization, openWorld, type World } from '../../server/test/world.ts'
import type { EngineName } from '../row.ts'
import { StallWatch, type Watched } from './stall.ts'

/** An organization with one object of every kind. */
export interface Founded {
  readonly organization: string
  readonly key: string
  readonly testKey: string
  readonly keyIds: readonly string[]
  /** By the names of the test's things. */
  readonly ids: Readonly<Record<string, string>>
}

interface Seen extends Watched {
  /** Errors in its log. */
  readonly logged: readonly string[]
}

/** Commands by message. */
export interface Commands {
  port(): number
  found(): Promise<Founded>
  advance(ms: number): Promise<void>
  /** Measurements since the last call. */
  seen(): Seen
}

export interface Message {
  readonly number: number
  readonly errand: keyof Commands
  readonly value?: number
}

export interface Answered {
  readonly number: number
  readonly value?: unknown
  readonly error?: string
}

const logged_max = 20

function errandsOf(world: World): Commands {
  const watch = new StallWatch()
  const { credentials } = world.services
  const writeUses = credentials.writeUses.bind(credentials)
  // It would run at different moments on the two engines, and its result shows in answers.
  credentials.writeUses = async () => 0
  let logged: string[] = []
  world.services.log.error = (message, fields) => {
    if (logged.length < logged_max) logged.push(`${message} ${JSON.stringify(fields)}`.slice(0, 1500))
  }
  return {
    port: () => Number(new URL(world.server.url).port),
    async found() {
      const founded = await found(world)
      // Founding ran in this process and must not be measured.
      watch.take()
      return founded
    },
    async advance(ms) {
      await writeUses()
      world.clock.advance(ms)
    },
    seen() {
      const said = logged
      logged = []
      return { ...watch.take(), logged: said }
    },
  }
}

async function found(world: World): Promise<Founded> {
  const founding = { name: 'Trial', ownerEmail: 'owner@trial.example', plan: 'enterprise', domains: [] } as const
  const { organization, user, realms } = await foundOrganization(world.services, founding)
  const bare = { id: organization, user, realms } as Organization
  const [live, test] = [await world.key({}, bare), await world.key({ mode: 'test' }, bare)]
  const whole = { ...bare, key: live.secret, keyId: live.id, testKey: test.secret }
  const { ids } = await populate(world, whole)
  return { organization, key: live.secret, testKey: test.secret, keyIds: [live.id, test.id], ids: { ...ids, user } }
}

const engine = process.argv[2] as EngineName
const world = await openWorld(engine, {})
const errands = errandsOf(world)
process.on('message', ({ number, errand, value }: Message) => {
  const run = async () => await (errands[errand] as (value?: number) => unknown)(value)
  run().then(
    (given) => process.send?.({ number, value: given } satisfies Answered),
    (error) => process.send?.({ number, error: String(error?.stack ?? error) } satisfies Answered),
  )
})
process.once('disconnect', () => void world.close().finally(() => process.exit()))
process.send?.({ number: 0 } satisfies Answered)
