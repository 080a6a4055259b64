/** An incoming webhook starts one run, whatever kills the server that receives it (contract/16#incoming-webhooks). */
import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import { call, type Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'
import type { HookPoint } from './hook-server.ts'
import { install, makeWorkspace } from './installation.ts'
import { endProcesses, serve } from './processes.ts'
import { run } from './programs.ts'
import { assertSound, reading } from './soundness.ts'

const graph = {
  schema_version: 3,
  nodes: [
    { id: 'received', type: 'trigger.webhook', config: {} },
    { id: 'file', type: 'task.create', config: { set: { title: { $expr: 'request.body.title' } } } },
  ],
  edges: [{ source: 'received', target: 'file' }],
}

/** Activates a flow that takes requests. Returns the path of its address. */
async function openHook(url: string, key: string, workspace: string): Promise<string> {
  const make = async (path: string, body: object) => {
    const reply = await call(url, 'POST', path, { key, body })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  const task = (await make('/v1/tasks', { workspace, title: 'Subject' })).id
  const flow = (await make('/v1/automation_flows', { workspace, name: 'Take requests', graph })).id
  const { preview_token } = await make(`/v1/automation_flows/${flow}/preview`, { workspace, task })
  await make(`/v1/automation_flows/${flow}/activate`, { workspace, preview_token, scope_acknowledged: true })
  const shown = await call(url, 'GET', `/v1/automation_flows/${flow}/hook`, { key })
  return new URL(shown.body.url).pathname
}

const points: readonly HookPoint[] = ['before', 'inside', 'committed']

onEveryEngine('An incoming webhook whose server is killed', (engine) => {
  afterEach(() => endProcesses())

  it(`at each of the points ${points.join(', ')} starts a whole run or none, and the same request then has one`, async () => {
    const database = await migratedDatabase(engine)
    try {
      const { environment, key, organization } = await install(database.url, database.folder)
      const first = await serve(environment)
      const workspace = await makeWorkspace(first.url, key)
      const path = await openHook(first.url, key, workspace)
      await first.stop()
      const runsAt = async (url: string): Promise<Reply['body'][]> =>
        (await call(url, 'GET', `/v1/automation_runs?workspace=${workspace}`, { key })).body.data
      let before = 0
      for (const point of points) {
        const send = (url: string) =>
          call(url, 'POST', path, { body: { title: point }, idempotencyKey: null, headers: { 'webhook-id': point } })
        const doomed = run('hook-server.ts', JSON.stringify({ environment, point }))
        await assert.rejects(send((await doomed.line()) as string))
        await doomed.end()
        const next = await serve(environment)
        assert.equal((await runsAt(next.url)).length, point === 'committed' ? before + 1 : before, point)
        const [reply, again] = [await send(next.url), await send(next.url)]
        assert.deepEqual([reply.status, again.text], [202, reply.text])
        const runs = await runsAt(next.url)
        assert.equal(runs.length, ++before)
        assert.equal(runs[0].id, reply.body.automation_run)
        await next.stop()
      }
      await reading(environment.ATRIUM_DATABASE_URL as string, (read) => assertSound(read, organization))
    } finally {
      await database.remove()
    }
  })
})
