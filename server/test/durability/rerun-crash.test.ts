/**
 * A rerun from a step on: the steps that it takes over have no second effect and its own steps have one, whatever kills the process
 * that carries it out (contract/16#reruns).
 */
import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { startServer } from '../../src/main.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { call, type Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'
import { fastClock, type Pace } from './fast-clock.ts'
import { install } from './installation.ts'
import type { Point } from './mortal.ts'
import { endProcesses } from './processes.ts'
import { run as runProgram } from './programs.ts'
import { assertSound, reading } from './soundness.ts'

/** The claim, and the steps behind it. */
const deaths: readonly (readonly [Point, number])[] = [
  ['inside', 1],
  ['behind', 1],
  ['inside', 2],
  ['behind', 2],
  // The last step, which the process before it left.
  ['inside', 2],
  ['behind', 2],
]

const graph = {
  schema_version: 1,
  nodes: [
    { id: 'by_hand', type: 'trigger.manual', config: {} },
    { id: 'first', type: 'task.comment', config: { body: 'First' } },
    { id: 'second', type: 'task.comment', config: { body: 'Second' } },
    { id: 'third', type: 'task.comment', config: { body: 'Third' } },
  ],
  edges: [
    { source: 'by_hand', target: 'first' },
    { source: 'first', target: 'second' },
    { source: 'second', target: 'third' },
  ],
}

onEveryEngine('A rerun whose processes are killed', (engine) => {
  afterEach(() => endProcesses())

  it('carries out its own steps once and the reused ones never, at each point of each transaction', async () => {
    const database = await migratedDatabase(engine)
    const pace: Pace = { begun: Date.now(), rate: 50 }
    const { environment, key, organization } = await install(database.url, database.folder)
    const server = await startServer(readConfig(environment), { clock: fastClock(pace) })
    const send = async (method: string, path: string, body?: object): Promise<Reply['body']> => {
      const reply = await call(server.url, method, path, { key, ...(body !== undefined && { body }) })
      assert.equal(reply.status, 200, reply.text)
      return reply.body
    }
    const workspace = (await send('POST', '/v1/workspaces', { title: 'Durable' })).id as string
    const task = (await send('POST', '/v1/tasks', { workspace, title: 'Subject' })).id as string
    const flow = (await send('POST', '/v1/automation_flows', { workspace, name: 'Three', graph })).id as string
    const { preview_token } = await send('POST', `/v1/automation_flows/${flow}/preview`, { workspace, task })
    const consent = { workspace, preview_token, scope_acknowledged: true }
    await send('POST', `/v1/automation_flows/${flow}/activate`, consent)
    const shown = async (run: string) => await send('GET', `/v1/automation_runs/${run}?workspace=${workspace}`)
    const { id } = await startByHand(server.services, flow, task)
    await drainRuns(server.services)
    assert.equal((await shown(id)).status, 'succeeded')
    const again = await send('POST', `/v1/automation_runs/${id}/rerun`, { workspace, from_step: 'second' })
    for (const [point, times] of deaths) {
      const doomed = runProgram('automations-worker.ts', JSON.stringify({ environment, pace, point, times }))
      assert.equal(await doomed.line(), 'ready')
      assert.equal(await doomed.line(), undefined, `it dies ${point} its transaction ${times}`)
      await doomed.end()
    }
    const { status, steps } = await shown(again.id)
    assert.deepEqual(
      [status, steps.map(({ node, reused }: { node: string; reused: boolean }) => [node, reused])],
      [
        'succeeded',
        [
          ['first', true],
          ['second', false],
          ['third', false],
        ],
      ],
    )
    const { data } = await send('GET', `/v1/tasks/${task}/comments`)
    const said = data.map(({ body }: { body: string }) => body).sort()
    assert.deepEqual(said, ['First', 'Second', 'Second', 'Third', 'Third'])
    await server.close()
    await reading(environment.ATRIUM_DATABASE_URL as string, (read) => assertSound(read, organization))
    await database.remove()
  })
})
