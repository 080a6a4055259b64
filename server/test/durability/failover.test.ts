/** A failover of PostgreSQL to a synchronous standby while clients write. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, it } from 'node:test'
import { call } from '../call.ts'
import { type Postgres, startPostgres } from '../postgres.ts'
import { connected, startStandby } from '../standby.ts'
import { type Installation, install, makeWorkspace } from './installation.ts'
import { endProcesses, serve } from './processes.ts'
import { openProxy } from './proxy.ts'
import { assertReplays, assertSound, assertTasksAre, reading } from './soundness.ts'
import { Writers } from './writers.ts'

const writers_count = 8

let writing: Writers | null = null

afterEach(() => {
  endProcesses()
  writing?.giveUp()
})

interface Pair {
  readonly primary: Postgres
  readonly standby: Postgres
  readonly installation: Installation
}

/** A primary whose commits wait for its standby. */
async function withPair(use: (pair: Pair) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-test-'))
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-standby-'))
  const primary = await startPostgres()
  let standby: Postgres | null = null
  try {
    const installation = await install(primary.url, folder)
    standby = await startStandby(primary, dataDir)
    const admin = await connected(primary.url)
    await admin.query(`alter system set synchronous_standby_names = 'standby'`)
    await admin.query('select pg_reload_conf()')
    const mode = `select 1 from pg_stat_replication where sync_state = 'sync' and state = 'streaming'`
    while ((await admin.query(mode)).rowCount === 0);
    await admin.end()
    await use({ primary, standby, installation })
  } finally {
    await standby?.stop()
    await primary.stop()
    for (const each of [folder, dataDir]) rmSync(each, { recursive: true, force: true })
  }
}

describe('A PostgreSQL whose commits wait for a standby', () => {
  it('fails over to it under load: writes are refused as temporary at most, none is lost and none happens twice', () =>
    withPair(async ({ primary, standby, installation }) => {
      const proxy = await openProxy(primary.url)
      const server = await serve({ ...installation.environment, ATRIUM_DATABASE_URL: proxy.url })
      const workspace = await makeWorkspace(server.url, installation.key)
      let made = 0
      const writers = new Writers(writers_count, () => ({
        path: '/v1/tasks',
        body: { workspace, title: `Task ${++made}` },
      }))
      writing = writers
      writers.start(() => server.url, installation.key)
      await writers.more(200)
      await primary.kill()
      proxy.leadTo(standby.url)
      // Until the promotion the server meets a database that only reads.
      while ((writers.seen.get(503) ?? 0) < writers_count) await new Promise(setImmediate)
      const promoting = await connected(standby.url)
      await promoting.query('select pg_promote()')
      await promoting.end()
      await writers.more(100)
      await writers.stop()
      assert.deepEqual(writers.wrong, [])
      assert.equal(writers.seen.get(0), undefined, 'every request was answered')
      await assertReplays(server.url, installation.key, writers.answered)
      await reading(standby.url, async (reader) => {
        await assertSound(reader, installation.organization)
        await assertTasksAre(reader, installation, writers.answered)
      })
      assert.equal(await server.stop(), 0, server.log())
      await proxy.close()
    }))

  it('acknowledges no commit that the standby has not received, however long the wait for it lasts', () =>
    withPair(async ({ primary, standby, installation }) => {
      // No time limit of a statement ends the wait of a commit.
      const limited = `${primary.url}?statement_timeout=200`
      const server = await serve({ ...installation.environment, ATRIUM_DATABASE_URL: limited })
      const { key } = installation
      const admin = await connected(primary.url)
      await standby.kill()
      let status: number | null = null
      const writing = call(server.url, 'POST', '/v1/workspaces', { key, body: { title: 'Waits' } }).then((reply) => {
        status = reply.status
        return reply
      })
      const waiting = `select 1 from pg_stat_activity where wait_event = 'SyncRep' and query = 'commit'
        and clock_timestamp() - query_start > interval '1 second'`
      while (status === null && (await admin.query(waiting)).rowCount === 0);
      assert.equal(status, null)
      await standby.restart()
      assert.equal((await writing).status, 200)
      await admin.end()
      const other = await connected(standby.url)
      const { rows } = await other.query(`select title from workspaces where title = 'Waits'`)
      assert.deepEqual(rows, [{ title: 'Waits' }])
      await other.end()
      assert.equal(await server.stop(), 0, server.log())
    }))
})
