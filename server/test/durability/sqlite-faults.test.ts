/** Faults of SQLite's file: locked by another process, full, temporarily missing. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { db_limits } from '../../src/db/limits.ts'
import { sqliteFile } from '../../src/db/open.ts'
import { onceQuery } from '../../src/db/query.ts'
import { call } from '../call.ts'
import { worldOf } from '../world.ts'
import { run } from './programs.ts'
import { assertSound } from './soundness.ts'

describe('SQLite whose write lock another process holds', () => {
  const world = worldOf('sqlite')

  const post = (title: string) => world.post('/v1/workspaces', { title })

  it('delays writes until it is free, while reads continue', async () => {
    // A process that holds no credits would have to write to get some.
    assert.equal((await world.get('/v1/workspaces')).status, 200)
    const holder = run('hold-lock.ts', sqliteFile(world.database.url))
    assert.equal(await holder.line(), 'locked')
    let written = false
    const writing = Promise.all(['one', 'two', 'three'].map(post)).finally(() => {
      written = true
    })
    for (let i = 0; i < 20; i++) assert.equal((await world.get('/v1/workspaces')).status, 200)
    assert.equal(written, false)
    assert.equal(await holder.end(), 0)
    assert.deepEqual(
      (await writing).map((reply) => reply.status),
      [200, 200, 200],
    )
    await world.assertWritten({
      events: Array(3).fill('workflow.workspace.created'),
      audit: Array(3).fill('workspaces.create'),
    })
  })

  it(`refuses writes with 503 after ${db_limits.database_wait_ms} ms, answers reads meanwhile, and resumes when it is free`, async () => {
    // A process that holds no credits would have to write to get some.
    assert.equal((await world.get('/v1/workspaces')).status, 200)
    const holder = run('hold-lock.ts', sqliteFile(world.database.url))
    assert.equal(await holder.line(), 'locked')
    const writing = Promise.all([post('four'), post('five')])
    assert.equal((await world.get('/v1/workspaces')).status, 200)
    for (const reply of await writing) {
      assert.deepEqual([reply.status, reply.body.error.code], [503, 'rate_limit_unavailable'])
      assert.equal(reply.headers['retry-after'], '1')
    }
    assert.equal(await holder.end(), 0)
    assert.equal((await post('six')).status, 200)
    await world.assertWritten({ events: ['workflow.workspace.created'], audit: ['workspaces.create'] })
  })
})

describe('SQLite on a disk that is full', () => {
  const world = worldOf('sqlite')

  /** The engine's own way to report a full disk, on the writing connection. */
  const setPages = (count: number) =>
    world.services.store.write(
      'system',
      async (tx) =>
        await tx.all(onceQuery((db) => ({ compile: () => sql.raw(`pragma max_page_count=${count}`).compile(db) }))),
    )

  const ready = async () => (await call(world.server.url, 'GET', '/readyz')).status

  it('refuses writes with 503, loses nothing that was answered, and accepts writes again once there is space', async () => {
    assert.equal(await ready(), 200)
    await setPages(1) // not below the current size
    const answered: string[] = []
    let refused = 0
    for (let i = 0; refused === 0; i++) {
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          world.post('/v1/workspaces', { title: `Workspace ${i} ${n} ${'x'.repeat(400)}` }),
        ),
      )
      for (const reply of replies) {
        if (reply.status === 200) answered.push(reply.body.id)
        else {
          refused++
          assert.deepEqual([reply.status, reply.headers['retry-after']], [503, '1'], reply.text)
        }
      }
    }
    const { data } = (await world.get('/v1/workspaces?limit=100')).body
    assert.deepEqual(data.map((workspace: { id: string }) => workspace.id).toSorted(), answered.toSorted())
    assert.equal(await ready(), 503)
    await setPages(1_000_000)
    assert.equal(await ready(), 200, 'a load balancer sends requests again')
    const after = await world.post('/v1/workspaces', { title: 'Room again' })
    assert.equal(after.status, 200, after.text)
    await world.services.store.snapshot('system', (reader) => assertSound(reader, world.acme.id))
  })
})
