/** Credits are granted up to the last one and never beyond it, by one process and by several over one database. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Charge, Credits } from '../../src/api/credits/charge.ts'
import type { Caller } from '../../src/api/declare/caller.ts'
import { Refusal } from '../../src/api/declare/errors.ts'
import { limits } from '../../src/api/limits.ts'
import { readConfig } from '../../src/config.ts'
import { openStore } from '../../src/db/open.ts'
import { type Placeholder, query } from '../../src/db/query.ts'
import type { Store } from '../../src/db/store.ts'
import { type OpenServices, openServices } from '../../src/main.ts'
import { citus_url, onEveryEngine } from '../engines.ts'
import { test_secret_key } from '../environment.ts'
import { openWorld, type World } from '../world.ts'
import { openProxy } from './proxy.ts'

const minute_max = 500
const environment = { ATRIUM_CREDITS_PER_MINUTE: String(minute_max) }

const usedInAll = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('credit_windows')
    .select((eb) => eb.fn.sum<number>('used').as('used'))
    .where('organization', '=', p('organization'))
    .where('kind', '=', 'minute'),
)

const usedBy = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('credit_windows')
    .select(['subject', 'used'])
    .where('organization', '=', p('organization'))
    .where('kind', '=', 'minute'),
)

onEveryEngine('The credits of a minute', (engine) => {
  let world: World
  let other: OpenServices

  before(async () => {
    world = await openWorld(engine, { environment })
    const { url, folder } = world.database
    const config = { ATRIUM_DATABASE_URL: url, ATRIUM_DATA_DIR: folder, ATRIUM_SECRET_KEY: test_secret_key }
    other = await openServices(readConfig({ ...config, ...environment }), { clock: world.clock })
  })
  after(async () => {
    await other.close()
    await world.close()
  })

  /** Moves to the next minute, in which no credits are used yet. */
  async function freshMinute(): Promise<Caller> {
    world.clock.advance(60_000)
    return (await world.services.credentials.find(world.acme.key, world.clock.now())) as Caller
  }

  /** How many of the credits requested at once were granted; all other requests must have been refused with 429. */
  async function ask(caller: Caller, prices: readonly number[], from: readonly OpenServices[]): Promise<number> {
    const outcomes = await Promise.allSettled(
      prices.map((price, i) => (from[i % from.length] as OpenServices).credits.admit(caller, price, world.clock.now())),
    )
    let granted = 0
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') granted += keep(outcome.value)
      else assert.ok(outcome.reason instanceof Refusal && outcome.reason.code === 'rate_limit_exceeded', outcome.reason)
    }
    return granted
  }

  it('are granted completely and not exceeded by concurrent requests of any price', async () => {
    const caller = await freshMinute()
    const mixed = Array.from({ length: 120 }, (_, i) => [1, 2, 5, 10][i % 4] as number)
    const granted = await ask(caller, mixed, [world.services])
    assert.ok(granted <= minute_max)
    assert.equal(granted + (await ask(caller, Array(60).fill(1), [world.services])), minute_max)
    assert.equal(await ask(caller, [1], [world.services]), 0)
  })

  it('are granted completely and not exceeded by two processes', async () => {
    const caller = await freshMinute()
    assert.equal(await ask(caller, Array(2 * minute_max).fill(1), [world.services, other]), minute_max)
    assert.equal(await ask(caller, [1, 1], [world.services, other]), 0)
  })

  it('are returned if a request turns out to be free', async () => {
    const caller = await freshMinute()
    const free = await world.services.credits.admit(caller, minute_max, world.clock.now())
    free.settle(0)
    assert.equal(await ask(caller, Array(minute_max + 20).fill(1), [world.services]), minute_max)
  })

  it('are not lost to a request that arrived just before the minute ended', async () => {
    await freshMinute()
    const caller = await freshMinute()
    const now = world.clock.now()
    assert.equal(keep(await world.services.credits.admit(caller, 1, now)), 1)
    assert.equal(keep(await world.services.credits.admit(caller, 1, now - 60_000)), 1)
    assert.equal(await ask(caller, Array(minute_max).fill(1), [world.services]), minute_max - 1)
  })

  it('are reported as spent while idle ones are being returned, however long the returns take', async (t) => {
    const caller = await freshMinute()
    const now = world.clock.now()
    const { store, held } = withHeldWrites(world.services.store)
    let elapsed = performance.now()
    t.mock.method(performance, 'now', () => elapsed)
    t.mock.timers.enable({ apis: ['setInterval'] })
    const credits = new Credits(store, { minute: minute_max, day: null, plan_day: null })
    const idle = () => {
      elapsed += 10_000
      t.mock.timers.tick(10_000)
    }
    const first = await credits.admit(caller, 10, now)
    held.hold()
    idle()
    assert.equal(held.waiting.length, 1, 'the idle rest of the block is being returned')
    first.settle(1)
    idle()
    idle()
    const report = credits.report(caller, now)
    held.waiting[0]?.()
    const [minute] = await report
    held.release()
    assert.deepEqual([minute?.used, minute?.remaining], [1, minute_max - 1])
    assert.equal(keep(await credits.admit(caller, minute_max - 1, now)), minute_max - 1)
    await credits.close()
  })

  it('without a limit cost no write until they are counted, and each is counted once', async (t) => {
    const caller = await freshMinute()
    const { organization } = caller
    const { store } = world.services
    const usedNow = async () => Number((await store.reader('system').first(usedInAll, { organization }))?.used ?? 0)
    await Promise.all([world.services.credits.close(), other.credits.close()])
    const before = await usedNow()
    let elapsed = performance.now()
    t.mock.method(performance, 'now', () => elapsed)
    const unlimited = { minute: null, day: null, plan_day: null }
    const { store: counted, held } = withHeldWrites(store)
    const credits = new Credits(counted, unlimited)
    for (let i = 0; i < 1000; i++) keep(await credits.admit(caller, 7, world.clock.now()))
    elapsed += limits.credits_idle_ms
    assert.equal(held.writes, 0)
    assert.equal((await credits.report(caller, world.clock.now()))[0]?.used, 7000)
    // The next minute begins while the ended one is not counted.
    keep(await credits.admit(caller, 3, world.clock.now() + 60_000))
    await credits.close()
    assert.deepEqual([held.writes, (await usedNow()) - before], [1, 7003])
  })

  // On Citus each window is changed by a statement of its own.
  if (engine === 'postgres' && citus_url === null) {
    it('of many callers are taken with one statement each, and returned with one for all, in whatever windows', async (t) => {
      const elapsed = performance.now()
      t.mock.method(performance, 'now', () => elapsed)
      const proxy = await openProxy(world.database.url)
      const store = await openStore(proxy.url)
      const credits = new Credits(store, { minute: 10_000, day: 100_000, plan_day: 500_000 })
      const now = world.clock.now()
      const callers: Caller[] = []
      for (let i = 0; i < 20; i++) {
        callers.push((await world.services.credentials.find((await world.key()).secret, now)) as Caller)
      }
      const sentFor = async (work: () => Promise<unknown>) => {
        const before = proxy.statements
        await work()
        return proxy.statements - before
      }
      const used = async () => {
        const rows = await store.reader('system').all(usedBy, { organization: world.acme.id })
        return callers.map(({ credential }) => Number(rows.find(({ subject }) => subject === credential)?.used))
      }
      const free = await credits.admit(callers[0] as Caller, 10, now)
      free.settle(0)
      for (const caller of callers.slice(1)) {
        // Begin, scope, one statement, commit.
        assert.equal(await sentFor(async () => keep(await credits.admit(caller, 10, now))), 4)
      }
      assert.equal(await sentFor(() => credits.close()), 4)
      assert.deepEqual(await used(), [0, ...callers.slice(1).map(() => 10)])
      await store.close()
      await proxy.close()
    })
  }

  it('are recorded in the database as spent when no process holds any', async () => {
    const caller = await freshMinute()
    const { organization } = caller
    await Promise.all([world.services.credits.close(), other.credits.close()])
    const before = (await world.services.store.reader('system').first(usedInAll, { organization }))?.used ?? 0
    const granted = await ask(caller, Array(30).fill(7), [world.services, other])
    await Promise.all([world.services.credits.close(), other.credits.close()])
    const after = (await world.services.store.reader('system').first(usedInAll, { organization }))?.used ?? 0
    assert.deepEqual([granted, Number(after) - Number(before)], [210, 210])
  })
})

function keep(charge: Charge): number {
  charge.settle(charge.price)
  return charge.price
}

/** The store, with writes that wait from `hold` until they are continued one by one or all released. */
function withHeldWrites(store: Store) {
  const waiting: (() => void)[] = []
  let holds = false
  const held = {
    waiting,
    writes: 0,
    hold: () => {
      holds = true
    },
    release: () => {
      holds = false
      for (const proceed of waiting) proceed()
    },
  }
  const write: Store['write'] = async (scope, job) => {
    held.writes++
    if (holds) await new Promise<void>((resolve) => waiting.push(resolve))
    return await store.write(scope, job)
  }
  return { store: Object.assign(Object.create(store) as Store, { write }), held }
}
