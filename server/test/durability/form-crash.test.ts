/** A form that is sent starts one run, whatever kills the server that receives it (contract/16#forms). */
import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import { Sealer } from '../../src/lib/seal.ts'
import { issuePageKey } from '../../src/resources/automation_runs/forms/page-key.ts'
import { call, type Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { sendForm } from '../forms.ts'
import { migratedDatabase } from '../migrated.ts'
import type { HookPoint } from './hook-server.ts'
import { install, makeWorkspace } from './installation.ts'
import { endProcesses, serve } from './processes.ts'
import { run } from './programs.ts'
import { assertSound, reading } from './soundness.ts'

const fields = [{ key: 'title', label: 'What is it about?', kind: 'short_text', required: true }]
const graph = {
  schema_version: 5,
  nodes: [
    { id: 'asked', type: 'trigger.form', config: { title: 'Ask us', fields } },
    { id: 'file', type: 'task.create', config: { set: { title: { $expr: 'form.title' } } } },
  ],
  edges: [{ source: 'asked', target: 'file' }],
}

/** Activates a flow with a form. */
async function openForm(url: string, key: string, workspace: string): Promise<{ id: string; path: string }> {
  const make = async (path: string, body: object) => {
    const reply = await call(url, 'POST', path, { key, body })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  const task = (await make('/v1/tasks', { workspace, title: 'Subject' })).id
  const flow = (await make('/v1/automation_flows', { workspace, name: 'Take answers', graph })).id
  const { preview_token } = await make(`/v1/automation_flows/${flow}/preview`, { workspace, task })
  await make(`/v1/automation_flows/${flow}/activate`, { workspace, preview_token, scope_acknowledged: true })
  const { body } = await call(url, 'GET', `/v1/automation_flows/${flow}/form`, { key })
  return { id: body.id, path: new URL(body.url).pathname }
}

const points: readonly HookPoint[] = ['before', 'inside', 'committed']

onEveryEngine('A form whose server is killed', (engine) => {
  afterEach(() => endProcesses())

  it(`at each of the points ${points.join(', ')} starts a whole run or none, and the page that is sent again then has one`, async () => {
    const database = await migratedDatabase(engine)
    try {
      const { environment, key, organization } = await install(database.url, database.folder)
      const first = await serve(environment)
      const workspace = await makeWorkspace(first.url, key)
      const { id, path } = await openForm(first.url, key, workspace)
      await first.stop()
      const sealer = new Sealer(Buffer.from(environment.ATRIUM_SECRET_KEY as string, 'base64'))
      const runsAt = async (url: string): Promise<Reply['body'][]> =>
        (await call(url, 'GET', `/v1/automation_runs?workspace=${workspace}`, { key })).body.data
      let before = 0
      for (const point of points) {
        // A page that was loaded long enough ago to be filled in by a person.
        const page = issuePageKey(sealer, id, Date.now() - 60_000)
        const send = (url: string) =>
          sendForm((method, to, options) => call(url, method, to, { idempotencyKey: null, ...options }), path, page, {
            title: point,
          })
        const doomed = run('hook-server.ts', JSON.stringify({ environment, point }))
        await assert.rejects(send((await doomed.line()) as string))
        await doomed.end()
        const next = await serve(environment)
        assert.equal((await runsAt(next.url)).length, point === 'committed' ? before + 1 : before, point)
        for (const reply of [await send(next.url), await send(next.url)]) {
          assert.deepEqual([reply.status, reply.headers.location], [303, '?sent'], reply.text)
        }
        assert.equal((await runsAt(next.url)).length, ++before)
        await next.stop()
      }
      await reading(environment.ATRIUM_DATABASE_URL as string, (read) => assertSound(read, organization))
    } finally {
      await database.remove()
    }
  })
})
