import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Desk, openDesk } from '../../test/automations/desk.ts'
import { chain } from '../../test/automations/graphs.ts'
import type { Orders } from '../../test/durability/lease-holder.ts'
import { type EngineName, onEveryEngine } from '../../test/engines.ts'
import { test_secret_key } from '../../test/environment.ts'
import { answer, openReceiver, type Receiver } from '../../test/receiver.ts'
import { openWorld, type World } from '../../test/world.ts'
import { query, rawQuery } from '../db/query.ts'
import { startByHand } from '../resources/automation_runs/start-by-hand.ts'
import { drainRuns } from './automations/runs.ts'
import { drainDeliveries } from './deliveries/deliveries.ts'
import { exportsWorker } from './exports.ts'
import { startWorkers } from './index.ts'
import { newLeaseOwner, releaseDeadLeases } from './leases.ts'
import { runWorker } from './worker.ts'

const program = join(import.meta.dirname, '../../test/durability/lease-holder.ts')

const leasedEndpoints = query((db) =>
  db.selectFrom('webhook_endpoints').select('lease_owner').where('lease_owner', 'is not', null),
)
const startedWorkers = query((db) =>
  db
    .selectFrom('workers')
    .select('name')
    .where('name', '=', 'webhook_fan_out')
    .where('last_started_at', 'is not', null),
)
const idle_worker = {
  name: 'a worker of another process',
  last_started_at: null,
  last_ended_at: null,
  last_done: 0,
  last_failed: 0,
  last_error: null,
}
const leaseOf = query((db) => db.selectFrom('workers').select('lease_until').where('name', '=', idle_worker.name))
const connections = rawQuery(
  () => sql<{ name: string }>`select application_name as name from pg_stat_activity where datname = current_database()`,
)

onEveryEngine('leases', (engine: EngineName) => {
  let world: World
  let desk: Desk
  let receiver: Receiver

  before(async () => {
    world = await openWorld(engine)
    desk = await openDesk(world)
    receiver = await openReceiver()
  })
  after(async () => {
    await receiver.close()
    await world.close()
  })

  /** A process that holds a lease of each kind. */
  async function startHolder() {
    const orders: Orders = {
      environment: {
        ATRIUM_DATA_DIR: world.database.folder,
        ATRIUM_DATABASE_URL: world.database.url,
        ATRIUM_SECRET_KEY: test_secret_key,
        ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
      },
      now: world.clock.now(),
    }
    const child = spawn(process.execPath, [program, JSON.stringify(orders)], { stdio: ['ignore', 'pipe', 'inherit'] })
    await Promise.all([once(child.stdout, 'data'), receiver.received(2)])
    return child
  }

  /** PostgreSQL closes the connections of a killed process a moment later. */
  async function disconnected(owner: string): Promise<void> {
    if (engine === 'sqlite') return
    const name = `atrium ${owner.split('@')[1]}`
    const reader = world.services.store.reader('system')
    while ((await reader.all(connections)).some((connection) => connection.name === name)) {}
  }

  it('of a killed process are released by the next process before they expire; those of a running process are kept', async () => {
    const { services } = world
    receiver.respond = () => {}
    await world.make('/v1/webhook_endpoints', { url: receiver.url, event_types: ['workflow.comment.created'] })
    await world.make(`/v1/tasks/${desk.task}/comments`, { workspace: desk.workspace, body: 'Deliver this' })
    const call = { id: 'call', type: 'http.request', config: { method: 'POST', url: receiver.url, body: { at: 1 } } }
    const run = await startByHand(services, (await desk.activate(chain(call))).id, desk.task)
    const job = await world.make('/v1/exports', { resource: 'tasks', workspace: desk.workspace })
    const holder = await startHolder()

    assert.equal(await releaseDeadLeases(services), 0)
    const [{ lease_owner }] = (await services.store.reader('system').all(leasedEndpoints)) as [{ lease_owner: string }]
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    await disconnected(lease_owner)
    assert.equal(await releaseDeadLeases(services), 4)

    receiver.respond = answer(204)
    await drainDeliveries(services)
    await drainRuns(services)
    await runWorker(services, exportsWorker, newLeaseOwner(services.store))
    assert.equal(receiver.events.length, 4)
    const shown = (await world.get(`/v1/automation_runs/${run.id}?workspace=${desk.workspace}`)).body
    const exported = (await world.get(`/v1/jobs/${job.id}`)).body
    assert.deepEqual([shown.status, exported.status], ['succeeded', 'completed'])
    assert.equal(await releaseDeadLeases(services), 0)
  })

  it('of a process that ends later are released by one that has been running for a while', async () => {
    const { store, clock } = world.services
    const running = startWorkers(world.services)
    try {
      while ((await store.reader('system').all(startedWorkers)).length === 0) await turn()
      // After the look at the start, since a worker begins later.
      const leased = { ...idle_worker, lease_owner: 'an owner@0123456789abcdef', lease_until: clock.now() + 86_400_000 }
      await store.write('system', async (tx) => tx.insert('workers', leased))
      while ((await store.reader('system').first(leaseOf))?.lease_until !== null) await turn()
    } finally {
      await running.close()
    }
  })
})
