/** Read replicas: reads are never older than what was acknowledged before them, and a replica that fails costs a fallback. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type pg from 'pg'
import { checkReplica } from '../../src/cli/doctor-checks.ts'
import { readConfig } from '../../src/config.ts'
import { openStore } from '../../src/db/open.ts'
import { query, rawQuery } from '../../src/db/query.ts'
import { type ReplicaStatus, StoreUnavailable } from '../../src/db/store.ts'
import { type RunningServer, startServer } from '../../src/main.ts'
import { exportsWorker } from '../../src/workers/exports.ts'
import { newLeaseOwner } from '../../src/workers/leases.ts'
import { runWorker } from '../../src/workers/worker.ts'
import { call } from '../call.ts'
import { type Postgres, startPostgres } from '../postgres.ts'
import { connected, startStandby } from '../standby.ts'
import { type Installation, install, makeWorkspace } from './installation.ts'

const callers_count = 6
const steps = 50
const attempts_max = 100

/** Only a primary can answer it. */
const onPrimaryOnly = rawQuery(() => sql<{ lsn: string }>`select pg_current_wal_lsn()::text as lsn`)
const allTasks = query((db) => db.selectFrom('tasks').select('id'))
const isStandby = rawQuery(() => sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`)

describe('Reads from a replica', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-test-'))
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-standby-'))
  let primary: Postgres
  let standby: Postgres
  let installation: Installation
  let servers: RunningServer[] = []
  let onReplica: pg.Client
  let workspace: string

  before(async () => {
    primary = await startPostgres()
    installation = await install(primary.url, folder)
    // Recovery never waits for a query here, so that conflicts show.
    standby = await startStandby(primary, dataDir, ['max_standby_streaming_delay = 0'])
    const environment = { ...installation.environment, ATRIUM_DATABASE_READ_URL: standby.url }
    servers = await Promise.all([startServer(readConfig(environment)), startServer(readConfig(environment))])
    onReplica = await connected(standby.url)
    workspace = await makeWorkspace(urlOf(0), installation.key)
    for (const server of servers) await isReady(server)
  })
  after(async () => {
    await onReplica.end().catch(() => {})
    for (const server of servers) await server.close()
    await standby.stop()
    await primary.stop()
    for (const each of [folder, dataDir]) rmSync(each, { recursive: true, force: true })
  })

  const urlOf = (i: number) => servers[i % servers.length]?.url as string
  const storeOf = (i: number) => (servers[i] as RunningServer).services.store
  const statusOf = async (server: RunningServer) => (await server.services.store.replicaStatus())[0] as ReplicaStatus
  const isReady = async (server: RunningServer) => {
    while (!(await statusOf(server)).ready) await new Promise(setImmediate)
  }
  const ask = (method: string, path: string, body: object | undefined, at: number) =>
    call(urlOf(at), method, path, { key: installation.key, ...(body === undefined ? {} : { body }) })

  /** Whether the replica answers. On a busy machine a read may reach the primary instead, so it is repeated. */
  const isAnswering = async (server: RunningServer): Promise<boolean> => {
    for (let i = 0; i < attempts_max; i++) {
      await isReady(server)
      if ((await server.services.store.replicaReader('system').first(isStandby))?.standby === true) return true
    }
    return false
  }

  /** Recovery may cancel these statements too. */
  const replay = async (what: 'pause' | 'resume'): Promise<void> => {
    const done = onReplica.query(`select pg_wal_replay_${what}()`).catch((error) => {
      if (error.code !== '40001') throw error
      return null
    })
    if ((await done) === null) await replay(what)
  }

  it('are answered by the replica', async () => {
    const before = await statusOf(servers[0] as RunningServer)
    assert.equal((await ask('GET', '/v1/workspaces', undefined, 0)).body.data.length, 1)
    assert.equal(await isAnswering(servers[0] as RunningServer), true)
    const { served, fault } = await statusOf(servers[0] as RunningServer)
    assert.ok(served > before.served)
    assert.equal(fault, null)
  })

  it('show each caller its own writes and everything acknowledged before, through two processes, while the replica pauses and resumes', async () => {
    let state = 20_261
    const below = (bound: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * bound)
    }
    const acknowledged = new Map<string, number>()
    const check = async (id: string) => {
      const atLeast = acknowledged.get(id) as number
      const { status, body } = await ask('GET', `/v1/tasks/${id}`, undefined, below(2))
      assert.equal(status, 200)
      assert.ok(Number(body.title) >= atLeast, `${body.title} is older than ${atLeast}`)
    }
    const act = async (): Promise<void> => {
      const made = await ask('POST', '/v1/tasks', { workspace, title: '0' }, below(2))
      const id = made.body.id as string
      acknowledged.set(id, 0)
      for (let step = 1; step <= steps; step++) {
        const { status, text } = await ask('PATCH', `/v1/tasks/${id}`, { title: String(step) }, below(2))
        assert.equal(status, 200, text)
        acknowledged.set(id, step)
        await check(id)
        const others = [...acknowledged.keys()]
        await check(others[below(others.length)] as string)
        const { body } = await ask('GET', '/v1/tasks?limit=100', undefined, below(2))
        assert.ok(body.data.some((task: { id: string; title: string }) => task.id === id && task.title === `${step}`))
        if (below(40) === 0) await replay('pause')
        if (below(10) === 0) await replay('resume')
      }
    }
    await Promise.all(Array.from({ length: callers_count }, act))
    await replay('resume')
    for (const server of servers) await isReady(server)
    const found = await Promise.all(servers.map(statusOf))
    assert.ok(found.every(({ served }) => served > 0))
    assert.ok(found.some(({ passed_on }) => passed_on > 0))
  })

  it('of events, and their streams, come from the primary, however far the replica is behind', async () => {
    const before = await statusOf(servers[0] as RunningServer)
    const { body } = await ask('GET', '/v1/events?limit=1', undefined, 0)
    assert.equal((await ask('GET', `/v1/events/${body.data[0].id}`, undefined, 0)).status, 200)
    assert.equal((await statusOf(servers[0] as RunningServer)).served, before.served)
  })

  it('that the replica refuses are answered by the primary', async () => {
    await isReady(servers[0] as RunningServer)
    assert.match((await storeOf(0).replicaReader('system').first(onPrimaryOnly))?.lsn ?? '', /\//)
    await isReady(servers[0] as RunningServer)
  })

  it('of a snapshot that recovery ends are refused as unavailable, and exports are complete', async () => {
    const [server] = servers as [RunningServer]
    const admin = await connected(primary.url)
    const removeRows = async () => {
      await admin.query('delete from idempotency')
      await admin.query('vacuum (truncate false) idempotency')
    }
    assert.equal(await isAnswering(server), true)
    const ended = storeOf(0).replicaSnapshot('system', async (reader) => {
      assert.equal((await reader.first(isStandby))?.standby, true)
      await removeRows()
      for (;;) await reader.all(allTasks)
    })
    await assert.rejects(ended, StoreUnavailable)
    await admin.end()
    await isReady(server)
    const made = await ask('POST', '/v1/exports', { resource: 'tasks', workspace }, 0)
    assert.equal(made.status, 200, made.text)
    const owner = newLeaseOwner(storeOf(0))
    await runWorker(server.services, exportsWorker, owner, new AbortController().signal)
    const { body } = await ask('GET', `/v1/jobs/${made.body.id}`, undefined, 0)
    assert.deepEqual([body.status, body.row_count], ['completed', callers_count])
  })

  it('go to the primary while the replica is down, and return to it afterwards', async () => {
    const [server] = servers as [RunningServer]
    await standby.kill()
    for (let i = 0; i < 10; i++) assert.equal((await ask('GET', '/v1/workspaces', undefined, 0)).status, 200)
    const down = await statusOf(server)
    assert.deepEqual([down.ready, down.behind_bytes], [false, null])
    assert.notEqual(down.fault, null)
    const figures = await (await fetch(`${server.url}/metrics`)).text()
    const name = `127.0.0.1:${standby.port}/postgres`
    assert.match(figures, new RegExp(`^atrium_replica_ready\\{replica="${name}"\\} 0$`, 'm'))
    await standby.restart()
    assert.equal(await isAnswering(server), true)
    const later = await (await fetch(`${server.url}/metrics`)).text()
    assert.match(later, new RegExp(`^atrium_replica_behind_bytes\\{replica="${name}"\\} \\d+$`, 'm'))
  })

  it('never come from another database, whose URL was given by mistake', async () => {
    await using other = await startPostgres()
    const store = await openStore(primary.url, {
      direct: null,
      reads: [other.url, standby.url.replace(/postgres$/, 'none')],
    })
    const states = await store.replicaStatus()
    assert.deepEqual(
      states.map(({ ready }) => ready),
      [false, false],
    )
    assert.equal(states[0]?.fault, 'it is no standby of this database')
    assert.match(states[1]?.fault ?? '', /database "none" does not exist/)
    assert.deepEqual(
      states.map(checkReplica).map(({ status }) => status),
      ['warn', 'warn'],
    )
    await store.close()
  })

  it('never come from a replica that was promoted: it follows another timeline', async () => {
    const promoting = await connected(standby.url)
    await promoting.query('select pg_promote()')
    await promoting.end()
    const [server] = servers as [RunningServer]
    while ((await statusOf(server)).ready) await new Promise(setImmediate)
    assert.equal((await storeOf(0).replicaReader('system').first(isStandby))?.standby, false)
    const { lsn } = (await storeOf(0).replicaReader('system').first(onPrimaryOnly)) as { lsn: string }
    const admin = await connected(primary.url)
    const { rows } = await admin.query('select pg_current_wal_lsn() >= $1::pg_lsn as own', [lsn])
    await admin.end()
    assert.deepEqual(rows, [{ own: true }])
    assert.match((await statusOf(server)).fault ?? '', /timeline 2, the primary has 1/)
  })
})
