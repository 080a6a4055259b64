/** PostgreSQL servers that change roles: a primary that becomes a read-only standby, and an asynchronous standby that becomes the primary. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import type pg from 'pg'
import { checkStandbys } from '../../src/cli/doctor-checks.ts'
import { readConfig } from '../../src/config.ts'
import { inspect } from '../../src/db/backup/inspect.ts'
import { startServer } from '../../src/main.ts'
import { drainDeliveries } from '../../src/workers/deliveries/deliveries.ts'
import { call, type Reply } from '../call.ts'
import { type Postgres, startPostgres } from '../postgres.ts'
import { openReceiver } from '../receiver.ts'
import { connected, startStandby } from '../standby.ts'
import { openStream } from '../stream.ts'
import { install } from './installation.ts'

it('A server over a PostgreSQL standby refuses writes with 503, answers reads, is not ready, and resumes by itself', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-test-'))
  await using postgres = await startPostgres()
  const { environment, key } = await install(postgres.url, folder)
  let server = await startServer(readConfig(environment))
  const write = async (title: string) => await call(server.url, 'POST', '/v1/workspaces', { key, body: { title } })
  const read = async (path: string) => await call(server.url, 'GET', path, { key })
  /** The server reconnects after a restart; until then it answers 503. */
  const reconnected = async (ask: () => Promise<Reply>) => {
    for (;;) {
      const { status } = await ask()
      if (status !== 503) return status
    }
  }
  try {
    assert.equal((await write('Before')).status, 200)
    const made = await call(server.url, 'POST', '/v1/api_keys', {
      key,
      body: { name: 'New', scopes: ['api:read', 'workspaces:read'] },
    })
    const fresh = made.body.secret
    const standby = join(postgres.dataDir, 'cluster/standby.signal')
    await postgres.kill()
    writeFileSync(standby, '')
    await postgres.restart()
    const refused = await write('On the standby')
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1'], refused.text)
    assert.equal(await reconnected(() => read('/v1/workspaces')), 200)
    assert.equal((await read('/readyz')).status, 503)
    // This key has no credits taken from the windows, which cannot be changed now.
    assert.equal(await reconnected(() => call(server.url, 'GET', '/v1/workspaces', { key: fresh })), 200)
    await postgres.kill()
    rmSync(standby)
    await postgres.restart()
    assert.equal(await reconnected(() => write('After')), 200)
    assert.equal(await reconnected(() => read('/readyz')), 200)
    await server.close()
    // The process counted for itself meanwhile, and added that to the windows: the list's 5 and this request's 1.
    server = await startServer(readConfig(environment))
    assert.equal((await call(server.url, 'GET', '/v1/usage', { key: fresh })).body.day.used, 6)
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

const count = 'select count(*)::int as count from events'

async function events(client: pg.Client): Promise<number> {
  return (await client.query(count)).rows[0].count
}

it('A failover to an asynchronous standby that lacks the newest events ends streams, answers 410 everywhere, and webhooks skip nothing of the new primary', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-test-'))
  await using primary = await startPostgres()
  const { environment, key } = await install(primary.url, folder, { ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8' })
  const server = await startServer(readConfig(environment))
  const receiver = await openReceiver()
  const write = (path: string, body: object, at = server.url) => call(at, 'POST', path, { key, body })
  const made = async (path: string, body: object) => (await write(path, body)).body
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-standby-'))
  let standby: Postgres | null = null
  try {
    const { id: workspace } = await made('/v1/workspaces', { title: 'Replicated' })
    await made('/v1/webhook_endpoints', { url: receiver.url, event_types: ['workflow.task.*'] })
    const task = (title: string) => write('/v1/tasks', { workspace, title })
    const titles = () => receiver.events.map(({ event }) => event.data.object.title)
    standby = await startStandby(primary, dataDir)
    await task('before')
    await drainDeliveries(server.services)
    const [here, there] = await Promise.all([connected(primary.url), connected(standby.url)])
    const wanted = await events(here)
    while ((await events(there)) < wanted);
    const { standbys } = await inspect(server.services.store)
    assert.deepEqual(standbys, [{ name: 'standby', mode: 'async' }])
    assert.deepEqual(
      checkStandbys(standbys).map(({ status, found }) => [status, found]),
      [['warn', 'standby (async)']],
    )
    await Promise.all([here.end(), there.end()])
    await standby.kill()

    const stream = await openStream(server.url, key, 'types[]=workflow.task.created')
    await stream.begun()
    for (const title of ['lost 1', 'lost 2']) await task(title)
    await stream.has(2)
    await drainDeliveries(server.services)
    await primary.kill()
    standby = await startPostgres({ dataDir, port: primary.port })
    const promoting = await connected(standby.url)
    await promoting.query('select pg_promote()')
    await promoting.end()
    for (const title of ['kept 1', 'kept 2', 'kept 3']) while ((await task(title)).status !== 200);

    assert.equal(await stream.ended, 'end')
    const other = await startServer(readConfig(environment))
    for (const { id } of stream.frames) {
      const ask = (url: string) =>
        call(url, 'GET', '/v1/events/stream?types[]=*', { key, headers: { 'last-event-id': id } })
      let reply = await ask(other.url)
      for (let i = 0; reply.status === 404 && i < 100; i++) reply = await ask(other.url)
      assert.deepEqual([reply.status, reply.body.error.param], [410, 'Last-Event-ID'], reply.text)
      assert.equal((await ask(server.url)).status, 410)
    }
    await other.close()
    await drainDeliveries(server.services)
    assert.deepEqual(titles().toSorted(), ['before', 'kept 1', 'kept 2', 'kept 3', 'lost 1', 'lost 2'])
  } finally {
    await receiver.close()
    await server.close()
    await standby?.stop()
    rmSync(dataDir, { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true })
  }
})
