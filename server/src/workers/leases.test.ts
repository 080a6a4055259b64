import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
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
  db.selectFrom('workers').select('name').where('last_started_at', 'is not', null).where('lease_owner', 'is not', null),
)
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
  async function startHolder(received = 2) {
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
    await Promise.all([once(child.stdout, 'data'), receiver.received(received)])
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

  it('of a process that was killed are released by one that has been running for a while', async () => {
    const { services } = world
    receiver.respond = () => {}
    const before = receiver.events.length
    await world.make(`/v1/tasks/${desk.task}/comments`, { workspace: desk.workspace, body: 'Deliver this too' })
    const call = { id: 'call', type: 'http.request', config: { method: 'POST', url: receiver.url, body: { at: 2 } } }
    await startByHand(services, (await desk.activate(chain(call))).id, desk.task)
    await world.make('/v1/exports', { resource: 'tasks', workspace: desk.workspace })
    const holder = await startHolder(before + 2)
    const workers = startWorkers(services)
    try {
      const hasRun = async () =>
        (await services.store.reader('system').all(startedWorkers)).some(({ name }) => name === 'webhook_fan_out')
      while (!(await hasRun())) await new Promise(setImmediate)
      receiver.respond = answer(204)
      holder.kill('SIGKILL')
      await receiver.received(before + 4)
    } finally {
      await workers.close()
    }
  })
})
