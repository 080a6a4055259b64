import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { it } from 'node:test'
import { seedProduct } from '../../../bench/seed-product.ts'
import { call } from '../call.ts'
import { type EngineName, onEveryEngine } from '../engines.ts'
import { test_secret_key } from '../environment.ts'
import { migratedDatabase } from '../migrated.ts'
import { openStream } from '../stream.ts'
import { endProcesses, serve } from './processes.ts'

/** Large enough for an export to be still running when it is killed; fewer on PostgreSQL, where seeding is slow. */
const tasks: Readonly<Record<EngineName, number>> = { sqlite: 20_000, postgres: 8000 }

onEveryEngine('an export whose process is killed', (engine) => {
  it('is restarted by the next process and completes', async () => {
    const database = await migratedDatabase(engine)
    const environment = {
      ATRIUM_PORT: '0',
      ATRIUM_DATA_DIR: database.folder,
      ATRIUM_DATABASE_URL: database.url,
      ATRIUM_SECRET_KEY: test_secret_key,
      ATRIUM_CREDITS_PER_MINUTE: 'unlimited',
    }
    try {
      const { key, ids } = await seedProduct(environment, { tasks: tasks[engine] })
      const first = await serve(environment)
      const job = (await call(first.url, 'POST', '/v1/exports', { key, body: { resource: 'tasks' } })).body
      const looked = async (url: string) => (await call(url, 'GET', `/v1/jobs/${job.id}`, { key })).body
      while ((await looked(first.url)).status === 'queued');
      const [newest] = (await call(first.url, 'GET', '/v1/events?limit=1', { key })).body.data
      await first.kill()
      const second = await serve(environment)
      const ends = ['completed', 'failed'].map((end) => `types[]=workflow.export_job.${end}`)
      const stream = await openStream(second.url, key, ends.join('&'), { 'last-event-id': newest.id })
      await stream.has(1)
      await stream.close()
      const done = await looked(second.url)
      assert.deepEqual([done.status, done.row_count], ['completed', ids.length])
      const text = await (await fetch(done.download_url)).text()
      assert.equal(createHash('sha256').update(text).digest('hex'), done.sha256)
      const found = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id)
      assert.deepEqual(found, [...ids].sort())
      assert.equal(await second.stop(), 0)
    } finally {
      endProcesses()
      await database.remove()
    }
  })
})
