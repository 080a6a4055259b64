/** Connections to PostgreSQL that break at any moment: no fault reaches a client, and nothing happens twice. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { type RunningServer, startServer } from '../../src/main.ts'
import { call } from '../call.ts'
import type { Database } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'
import { type Installation, install, makeWorkspace } from './installation.ts'
import { type CuttingProxy, openProxy } from './proxy.ts'
import { assertReplays, assertSound, assertTasksAre, reading } from './soundness.ts'
import { Writers } from './writers.ts'

describe('A server whose connections to PostgreSQL are cut', () => {
  let database: Database
  let proxy: CuttingProxy
  let installation: Installation
  let server: RunningServer
  let workspace: string
  let writers: Writers

  before(async () => {
    database = await migratedDatabase('postgres')
    proxy = await openProxy(database.url)
    installation = await install(proxy.url, database.folder)
    server = await startServer(readConfig({ ...installation.environment }))
    workspace = await makeWorkspace(server.url, installation.key)
    let made = 0
    writers = new Writers(8, () => ({ path: '/v1/tasks', body: { workspace, title: `Task ${++made}` } }))
  })
  afterEach(() => {
    proxy.chance = 0
  })
  after(async () => {
    writers.giveUp()
    await server.close()
    await proxy.close()
    await database.remove()
  })

  it('writes everything once, whether they are cut anywhere, before a commit or before its answer', async () => {
    const { cuts } = proxy
    writers.start(() => server.url, installation.key)
    proxy.chance = 0.2
    while (cuts['before commit'] < 12 || cuts['after commit'] < 12) await writers.more(20)
    proxy.chance = 0
    await writers.stop()
    assert.deepEqual(writers.wrong, [])
    assert.equal(writers.seen.get(0), undefined, 'every request was answered')
    await assertReplays(server.url, installation.key, writers.answered)
    await reading(database.url, async (reader) => {
      await assertSound(reader, installation.organization)
      await assertTasksAre(reader, installation, writers.answered)
    })
  })

  it('answers reads meanwhile, or says when to retry', async () => {
    proxy.chance = 0.4
    const seen = new Set<number>()
    const { key } = installation
    for (const enough = proxy.cuts.anywhere + 12; proxy.cuts.anywhere < enough; ) {
      const replies = await Promise.all(
        Array.from({ length: 16 }, () => call(server.url, 'GET', `/v1/tasks?workspace=${workspace}&limit=2`, { key })),
      )
      for (const reply of replies) {
        seen.add(reply.status)
        if (reply.status === 200) assert.equal(reply.body.data.length, 2)
        else assert.deepEqual([reply.status, Number(reply.headers['retry-after']) >= 1], [503, true], reply.text)
      }
    }
    assert.ok(seen.has(200))
  })

  it('refuses requests while the database is down, reports it to its load balancer, and resumes with it', async () => {
    const port = Number(new URL(proxy.url).port)
    await proxy.close()
    const { key } = installation
    const refused = await Promise.all([
      call(server.url, 'GET', '/v1/workspaces', { key }),
      call(server.url, 'POST', '/v1/workspaces', { key, body: { title: 'Not now' } }),
      call(server.url, 'GET', '/readyz'),
    ])
    assert.deepEqual(
      refused.map((reply) => reply.status),
      [503, 503, 503],
    )
    assert.equal((await call(server.url, 'GET', '/healthz')).status, 200)
    proxy = await openProxy(database.url, port)
    assert.equal((await call(server.url, 'GET', '/readyz')).status, 200)
    assert.equal((await call(server.url, 'GET', '/v1/workspaces', { key })).status, 200)
    assert.equal((await call(server.url, 'POST', '/v1/workspaces', { key, body: { title: 'Now' } })).status, 200)
  })
})
