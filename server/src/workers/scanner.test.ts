/** Several processes over one PostgreSQL database: one of them looks for due work. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { call } from '../../test/call.ts'
import { type Installation, install } from '../../test/durability/installation.ts'
import { type CuttingProxy, openProxy } from '../../test/durability/proxy.ts'
import type { Database } from '../../test/engines.ts'
import { migratedDatabase } from '../../test/migrated.ts'
import { readConfig } from '../config.ts'
import { type RunningServer, startServer } from '../main.ts'

/** Statements of the process that looks, in which the other one is counted. */
const window_statements = 150
/** The other one backs off, so it is counted until it has. */
const windows_max = 4

const turn = () => new Promise(setImmediate)

describe('Of two idle processes over PostgreSQL', () => {
  let database: Database
  let installation: Installation
  const proxies: CuttingProxy[] = []
  const servers: RunningServer[] = []

  before(async () => {
    database = await migratedDatabase('postgres')
    installation = await install(database.url, database.folder)
    for (let i = 0; i < 2; i++) {
      const proxy = await openProxy(database.url)
      proxies.push(proxy)
      const own = { ATRIUM_DATABASE_URL: proxy.url, ATRIUM_WORKERS: 'true' }
      servers.push(await startServer(readConfig({ ...installation.environment, ...own })))
    }
  })
  after(async () => {
    for (const server of servers) await server.close()
    for (const proxy of proxies) await proxy.close()
    await database.remove()
  })

  it('one looks for due work, and the other sends less than half of its statements', async () => {
    const shares: number[] = []
    for (let window = 0; window < windows_max && (shares.at(-1) ?? 1) >= 1 / 2; window++) {
      const begun = proxies.map(({ statements }) => statements)
      const sent = () => proxies.map(({ statements }, i) => statements - (begun[i] as number))
      while (Math.max(...sent()) < window_statements) await turn()
      // In the first window the processes start.
      if (window > 0) shares.push(Math.min(...sent()) / Math.max(...sent()))
    }
    assert.ok((shares.at(-1) as number) < 1 / 2, `shares of the other process: ${shares}`)
  })

  it('the other one takes over when the first ends, and work that either accepts is done', async () => {
    const { key } = installation
    const exported = async (server: RunningServer) => {
      const body = { resource: 'tasks' }
      const { id } = (await call(server.url, 'POST', '/v1/exports', { key, body })).body
      for (;;) {
        const job = (await call(server.url, 'GET', `/v1/jobs/${id}`, { key })).body
        if (job.status !== 'queued' && job.status !== 'running') return job.status
      }
    }
    for (const server of servers) assert.equal(await exported(server), 'completed')
    await servers.shift()?.close()
    assert.equal(await exported(servers[0] as RunningServer), 'completed')
  })
})
