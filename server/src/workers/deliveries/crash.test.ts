/** Killed workers: every event is delivered, and its deliveries are recorded (contract/11#guarantee). */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { call } from '../../../test/call.ts'
import { type Installation, install, makeWorkspace } from '../../../test/durability/installation.ts'
import { serve } from '../../../test/durability/processes.ts'
import { reading } from '../../../test/durability/soundness.ts'
import type { EngineName } from '../../../test/engines.ts'
import { migratedDatabase } from '../../../test/migrated.ts'
import { openReceiver, type Receiver } from '../../../test/receiver.ts'
import { limits } from '../../api/limits.ts'
import { query } from '../../db/query.ts'
import { worker_limits } from '../limits.ts'

const program = join(import.meta.dirname, '../../../../bin/atrium')
const events_count = 500
const killed_after = 250

const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

function startWorker({ environment }: Installation): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, ...environment, ATRIUM_WORKERS: 'true' }
  const child = spawn(program, ['worker'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal)
  await once(child, 'exit')
  return child.exitCode
}

/** An endpoint that subscribes to tasks, and one new task per event. */
async function arrange(installation: Installation, receiver: Receiver): Promise<void> {
  const { environment, key } = installation
  const server = await serve(environment)
  const post = async (path: string, body: object) => {
    const reply = await call(server.url, 'POST', path, { key, body })
    assert.equal(reply.status, 200, reply.text)
  }
  const workspace = await makeWorkspace(server.url, key)
  await post('/v1/webhook_endpoints', { url: receiver.url, event_types: ['workflow.task.created'] })
  for (let made = 0; made < events_count; made += 100) {
    const data = Array.from({ length: 100 }, (_, i) => ({ title: `Task ${made + i}` }))
    await post('/v1/tasks/batch', { workspace, data })
  }
  assert.equal(await server.stop(), 0, server.log())
}

const allDeliveries = query((db) => db.selectFrom('webhook_deliveries').select(['id', 'event', 'status', 'attempts']))
const allAttempts = query((db) => db.selectFrom('webhook_attempts').select(['delivery', 'number', 'http_status']))

async function crash(engine: EngineName): Promise<void> {
  const database = await migratedDatabase(engine)
  const receiver = await openReceiver()
  const arrived = () => new Set(receiver.events.map((got) => got.event.id)).size
  try {
    const allowed = { ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8' }
    const installation = await install(database.url, database.folder, allowed)
    await arrange(installation, receiver)
    const { respond } = receiver
    // The process cannot continue past this point.
    receiver.respond = (got, response) => receiver.events.length <= killed_after && respond(got, response)
    const first = startWorker(installation)
    await receiver.received(killed_after)
    await end(first, 'SIGKILL')
    receiver.respond = respond
    const others = [startWorker(installation), startWorker(installation)]
    while (arrived() < events_count) await receiver.received(receiver.events.length + 1)
    for (const other of others) assert.equal(await end(other, 'SIGTERM'), 0)

    const url = installation.environment.ATRIUM_DATABASE_URL as string
    const { deliveries, attempts } = await reading(url, async (reader) => ({
      deliveries: await reader.all(allDeliveries),
      attempts: await reader.all(allAttempts),
    }))
    assert.equal(deliveries.length, events_count)
    const recorded = Map.groupBy(attempts, (attempt) => attempt.delivery)
    for (const { id, status, attempts: count } of deliveries) {
      assert.deepEqual([status, count], ['succeeded', 1], id)
      assert.deepEqual(
        recorded.get(id)?.map(({ number, http_status }) => [number, http_status]),
        [[1, 204]],
      )
    }
    const repeated = receiver.events.length - events_count
    const open_max = limits.webhook_in_flight_max + worker_limits.webhook_unrecorded_max
    assert.ok(repeated <= open_max, `${repeated} were sent again, no more than were not yet written down`)
  } finally {
    await receiver.close()
    await database.remove()
  }
}

describe('A worker killed in the middle of 500 deliveries: each arrives at least once and is recorded', {
  concurrency: true,
}, () => {
  for (const engine of ['sqlite', 'postgres'] as const) it(`on ${engine}`, () => crash(engine))
})
