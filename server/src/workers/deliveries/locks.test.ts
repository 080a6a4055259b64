/** Processes that lock the same endpoints on PostgreSQL wait for each other without deadlocks, and lose no delivery. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import pg from 'pg'
import { onPostgresServer } from '../../../test/engines.ts'
import { openWebhooks, type Webhooks } from '../../../test/webhooks.ts'
import { openWorld, type World } from '../../../test/world.ts'
import { openStore } from '../../db/open.ts'
import { query } from '../../db/query.ts'
import { type DeliveredEvent, startCycle } from '../../resources/webhook_endpoints/shared/deliveries.ts'

const newestEvent = query((db) =>
  db.selectFrom('events').select(['realm', 'id', 'sequence', 'created']).orderBy('created', 'desc').limit(1),
)
const endpointIds = query((db) => db.selectFrom('webhook_endpoints').select('id'))

onPostgresServer('webhook deliveries on PostgreSQL', () => {
  let world: World
  let webhooks: Webhooks
  let other: pg.Client
  before(async () => {
    world = await openWorld('postgres')
    webhooks = await openWebhooks(world)
    other = new pg.Client(world.database.url)
    await other.connect()
  })
  after(async () => {
    await other.end()
    await webhooks.clear()
    await world.close()
  })

  const lock = (id: string) => other.query('select 1 from webhook_endpoints where id = $1 for update nowait', [id])
  const untilSessionWaits = async (): Promise<void> => {
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const until = performance.now() + 30_000
    while ((await other.query(waiting)).rowCount === 0) assert.ok(performance.now() < until, 'no session waits')
  }

  it('several endpoints are locked in id order, whichever is due first', async () => {
    const receiver = await webhooks.open()
    const made = [await webhooks.endpoint({}, receiver), await webhooks.endpoint({}, receiver)]
    const [low = '', high = ''] = made.map(({ id }) => id).sort()
    await webhooks.drain()
    await other.query('update webhook_endpoints set next_due_at = 2 where id = $1', [low])
    await other.query('update webhook_endpoints set next_due_at = 1 where id = $1', [high])
    await other.query('begin')
    await lock(low)
    const drained = webhooks.drain()
    await untilSessionWaits()
    // If it were locked already, this would be refused, and both would wait for each other.
    await lock(high)
    await other.query('commit')
    await drained
  })

  it('a delivery that is added while its endpoint is released is sent', async () => {
    await webhooks.task()
    const event = (await world.services.store.reader('system').first(newestEvent)) as DeliveredEvent
    const receiver = await webhooks.open()
    const { id } = await webhooks.endpoint({}, receiver)
    await webhooks.drain()
    await other.query('update webhook_endpoints set next_due_at = 1 where id = $1', [id])
    const store = await openStore(world.database.url)
    const added = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const scope = { organization: world.acme.id, realms: [event.realm] }
    const adding = store.write(scope, async (tx) => {
      startCycle(tx, event, id, undefined, 'replay', world.services.clock.now())
      // What is buffered is sent before a read.
      await tx.all(endpointIds)
      added.resolve()
      await released.promise
    })
    await added.promise
    const drained = webhooks.drain()
    await Promise.race([drained, untilSessionWaits()])
    released.resolve()
    await adding
    await drained
    await webhooks.drain()
    assert.equal((await webhooks.deliveryOf(event.id, id)).status, 'succeeded')
    await store.close()
  })
})
