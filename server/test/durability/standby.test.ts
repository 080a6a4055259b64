/** A PostgreSQL server that becomes a read-only standby, as the old primary after a failover. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { startServer } from '../../src/main.ts'
import { call, type Reply } from '../call.ts'
import { startPostgres } from '../postgres.ts'
import { install } from './installation.ts'

it('A server over a PostgreSQL standby refuses writes with 503, answers reads, is not ready, and resumes by itself', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-test-'))
  await using postgres = await startPostgres()
  const { environment, key } = await install(postgres.url, folder)
  const server = await startServer(readConfig(environment))
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
    const standby = join(postgres.dataDir, 'cluster/standby.signal')
    await postgres.kill()
    writeFileSync(standby, '')
    await postgres.restart()
    const refused = await write('On the standby')
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1'], refused.text)
    assert.equal(await reconnected(() => read('/v1/workspaces')), 200)
    assert.equal((await read('/readyz')).status, 503)
    await postgres.kill()
    rmSync(standby)
    await postgres.restart()
    assert.equal(await reconnected(() => write('After')), 200)
    assert.equal(await reconnected(() => read('/readyz')), 200)
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
