/**
 * A run that waits for a person: it asks once, is decided once and continues once, whatever kills the process that asks, decides or
 * continues (contract/16#approvals).
 */
import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { query } from '../../src/db/query.ts'
import { type RunningServer, startServer } from '../../src/main.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { call, type Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'
import { fastClock, type Pace } from './fast-clock.ts'
import type { HookPoint } from './hook-server.ts'
import { install } from './installation.ts'
import type { Orders, Point } from './mortal.ts'
import { endProcesses, serve } from './processes.ts'
import { run as runProgram } from './programs.ts'
import { assertSound, reading } from './soundness.ts'

/** The claim, and the step behind it. */
const one_step: readonly [Point, number][] = [
  ['inside', 1],
  ['behind', 1],
  ['inside', 2],
  ['behind', 2],
]
/** The step that the last process of `one_step` left to the next one. */
const next_step: readonly [Point, number][] = [
  ['inside', 2],
  ['behind', 2],
]
const deciding_points: readonly HookPoint[] = ['inside', 'committed']

const allEvents = query((db) => db.selectFrom('events').select(['type', 'object_id']).orderBy('sequence'))

/** Requests of an organization's key, which decides as the API service user. */
class Client {
  private readonly key: string
  url = ''

  constructor(key: string) {
    this.key = key
  }

  async make(path: string, body: object): Promise<Reply['body']> {
    const reply = await call(this.url, 'POST', path, { key: this.key, body })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }

  async get(path: string): Promise<Reply['body']> {
    return (await call(this.url, 'GET', path, { key: this.key })).body
  }

  async decide(approval: string, decision: string, idempotencyKey: string): Promise<Reply> {
    const path = `/v1/automation_approvals/${approval}/decide`
    return await call(this.url, 'POST', path, { key: this.key, body: { decision }, idempotencyKey })
  }
}

async function startAsking({ services }: RunningServer, client: Client) {
  const workspace = (await client.make('/v1/workspaces', { title: 'Durable' })).id as string
  const task = (await client.make('/v1/tasks', { workspace, title: 'Subject' })).id as string
  const { author } = await client.make(`/v1/tasks/${task}/comments`, { workspace, body: 'By the service user' })
  const nodes = [
    { id: 'by_hand', type: 'trigger.manual', config: {} },
    { id: 'ask', type: 'approval.wait', config: { people: [author.id], text: 'May we?' } },
    ...['approved', 'rejected'].map((port) => ({ id: port, type: 'task.comment', config: { body: port } })),
  ]
  const edges = [
    { source: 'by_hand', target: 'ask' },
    ...['approved', 'rejected'].map((port) => ({ source: 'ask', port, target: port })),
  ]
  const graph = { schema_version: 4, nodes, edges }
  const flow = (await client.make('/v1/automation_flows', { workspace, name: 'Ask', graph })).id as string
  const { preview_token } = await client.make(`/v1/automation_flows/${flow}/preview`, { workspace, task })
  const consent = { workspace, preview_token, scope_acknowledged: true }
  await client.make(`/v1/automation_flows/${flow}/activate`, consent)
  const run = (await startByHand(services, flow, task)).id
  return { workspace, task, run }
}

/** Kills a worker at each of these points; each one finds what the one before it left. */
async function killWorkers(
  orders: Pick<Orders, 'environment' | 'pace'>,
  deaths: readonly (readonly [Point, number])[],
) {
  for (const [point, times] of deaths) {
    const doomed = runProgram('automations-worker.ts', JSON.stringify({ ...orders, point, times }))
    assert.equal(await doomed.line(), 'ready')
    assert.equal(await doomed.line(), undefined, `it dies ${point} its transaction ${times}`)
    await doomed.end()
  }
}

onEveryEngine('An approval whose processes are killed', (engine) => {
  afterEach(() => endProcesses())

  it('is asked for once, decided once, and followed once, at each point of each transaction', async () => {
    const database = await migratedDatabase(engine)
    const pace: Pace = { begun: Date.now(), rate: 50 }
    const { environment, key, organization } = await install(database.url, database.folder)
    const client = new Client(key)
    const begin = async () => {
      const server = await startServer(readConfig(environment), { clock: fastClock(pace) })
      client.url = server.url
      return server
    }
    try {
      const first = await begin()
      const { workspace, task, run } = await startAsking(first, client)
      await killWorkers({ environment, pace }, one_step)
      const { data: asked } = await client.get(`/v1/automation_approvals?automation_run=${run}`)
      assert.deepEqual([asked.length, asked[0].status], [1, 'pending'])
      await first.close()
      for (const point of deciding_points) {
        const doomed = runProgram('hook-server.ts', JSON.stringify({ environment, point }))
        client.url = (await doomed.line()) as string
        await assert.rejects(client.decide(asked[0].id, 'approved', 'the-decision'))
        await doomed.end()
        const next = await serve(environment)
        client.url = next.url
        const { status } = await client.get(`/v1/automation_approvals/${asked[0].id}`)
        assert.equal(status, point === 'committed' ? 'approved' : 'pending', point)
        await next.stop()
      }
      const last = await begin()
      const again = await client.decide(asked[0].id, 'approved', 'the-decision')
      assert.deepEqual([again.status, again.body.status], [200, 'approved'])
      assert.equal((await client.decide(asked[0].id, 'rejected', 'another')).status, 409)
      await killWorkers({ environment, pace }, [...one_step, ...next_step])
      const { status, steps } = await client.get(`/v1/automation_runs/${run}?workspace=${workspace}`)
      assert.deepEqual(
        [status, steps.map((step: { node: string; status: string }) => [step.node, step.status])],
        [
          'succeeded',
          [
            ['ask', 'succeeded'],
            ['approved', 'succeeded'],
            ['rejected', 'skipped'],
          ],
        ],
      )
      const { data } = await client.get(`/v1/tasks/${task}/comments?workspace=${workspace}`)
      assert.deepEqual(data.map(({ body }: { body: string }) => body).sort(), ['By the service user', 'approved'])
      await last.close()
      await reading(environment.ATRIUM_DATABASE_URL as string, async (read) => {
        await assertSound(read, organization)
        const told = (await read.all(allEvents)).filter(({ object_id }) => object_id === asked[0].id)
        assert.deepEqual(
          told.map(({ type }) => type),
          ['automation.approval.requested', 'automation.approval.approved'],
        )
      })
    } finally {
      await database.remove()
    }
  })
})
