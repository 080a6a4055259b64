/** Processes that lock the same endpoints on PostgreSQL wait for each other without deadlocks. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { openWebhooks, type Webhooks } from '../../../test/webhooks.ts'
import { openWorld, type World } from '../../../test/world.ts'

describe('webhook deliveries on PostgreSQL', () => {
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
  const untilSomebodyWaits = async (): Promise<void> => {
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const until = performance.now() + 30_000
    while ((await other.query(waiting)).rowCount === 0) assert.ok(performance.now() < until, 'nobody waits')
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
    await untilSomebodyWaits()
    // If it were locked already, this would be refused, and both would wait for each other.
    await lock(high)
    await other.query('commit')
    await drained
  })
})
