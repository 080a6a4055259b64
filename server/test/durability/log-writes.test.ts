/** Writes of the request log (`db/store.ts`): separate from all others, and equally durable. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { db_limits } from '../../src/db/limits.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openStore, sqliteFile } from '../../src/db/open.ts'
import { insertQuery, type Placeholder, query } from '../../src/db/query.ts'
import type { RequestLogRow } from '../../src/db/schema.ts'
import { SqliteConnection } from '../../src/db/sqlite/connection.ts'
import { logFileOf } from '../../src/db/sqlite/log/file.ts'
import { type Bound, type Store, StoreUnavailable } from '../../src/db/store.ts'
import { type Database, newDatabase, onEveryEngine } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'

const idsOfLogs = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('request_logs').select('id').where('realm', '=', p('realm')).orderBy('id'),
)
const removeAll = query((db, p: Placeholder<{ realm: number }>) =>
  db.deleteFrom('request_logs').where('realm', '=', p('realm')),
)

const row = (id: string, entry = '{}'): RequestLogRow => ({ realm: 1, id, created: 1, entry })
const insertion = (id: string, entry?: string): Bound => {
  const values = row(id, entry)
  return { query: insertQuery('request_logs', values), values: { ...values } }
}
const removal: Bound = { query: removeAll, values: { realm: 1 } }

async function idsIn(store: Store): Promise<string[]> {
  const rows = await store.reader('system').all(idsOfLogs, { realm: 1 })
  return rows.map(({ id }) => id)
}

onEveryEngine('Writes of the request log', (engine) => {
  let database: Database
  let store: Store
  before(async () => {
    database = await migratedDatabase(engine)
    store = await openStore(database.url)
    await migrate(store, 1)
  })
  after(async () => {
    await store.close()
    await database.remove()
  })

  it('are visible to this process and others once they are done, and return the number of changed rows', async () => {
    const other = await openStore(database.url)
    assert.equal(await store.writeLog([insertion('a'), insertion('b')]), 1)
    assert.deepEqual(
      [await idsIn(store), await idsIn(other)],
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    )
    await other.close()
    assert.equal(await store.writeLog([removal]), 2)
    assert.deepEqual(await idsIn(store), [])
  })

  it('are done together or not at all, and later ones succeed', async () => {
    await assert.rejects(store.writeLog([insertion('c'), insertion('d'), insertion('c')]))
    assert.deepEqual(await idsIn(store), [])
    assert.equal(await store.writeLog([insertion('e')]), 1)
    assert.deepEqual(await idsIn(store), ['e'])
  })

  it('that are running when the store closes are done, and later ones are refused', async () => {
    const closing = await openStore(database.url)
    const written = Array.from({ length: 20 }, (_, i) =>
      closing.writeLog([insertion(`f${String(i).padStart(2, '0')}`)]),
    )
    await closing.close()
    assert.deepEqual(await Promise.all(written), Array(20).fill(1))
    assert.equal((await idsIn(store)).filter((id) => id.startsWith('f')).length, 20)
    await assert.rejects(closing.writeLog([insertion('g')]), StoreUnavailable)
  })
})

describe('Writes of the request log on SQLite', () => {
  let database: Database
  let file: string
  let store: Store
  before(async () => {
    database = await newDatabase('sqlite')
    file = sqliteFile(database.url)
    store = await openStore(database.url)
    await migrate(store, 1)
  })
  after(async () => {
    await store.close()
    await database.remove()
  })
  const threadOf = () => (store as unknown as { log: { thread: Worker | null } }).log.thread as Worker

  it('delay no other write, and are not delayed by one', async () => {
    const log = new SqliteConnection(logFileOf(file), 'logs')
    log.exec('begin immediate')
    await store.write('system', async (tx) =>
      tx.insert('audit_heads', { home: 1, organization: 'org_a', sequence: 0, previous_hash: '', hash: '' }),
    )
    log.exec('rollback')
    log.close()
    await store.write('system', async (tx) => {
      tx.insert('audit_heads', { home: 1, organization: 'org_b', sequence: 0, previous_hash: '', hash: '' })
      assert.equal(await store.writeLog([insertion('a')]), 1)
    })
    assert.deepEqual(await idsIn(store), ['a'])
  })

  it('are refused if their thread ends, and succeed with the next thread', async () => {
    await store.writeLog([insertion('b')])
    const thread = threadOf()
    const written = store.writeLog([insertion('c', 'x'.repeat(100_000))])
    const ended = thread.terminate()
    await written.catch((error) => assert.ok(error instanceof StoreUnavailable && error.uncertain))
    await ended
    await store.writeLog([insertion('d')])
    assert.notEqual(threadOf(), thread)
    const ids = await idsIn(store)
    assert.deepEqual([ids.includes('b'), ids.includes('d')], [true, true])
  })

  it('leave a write-ahead log that starts over, however many there are', async () => {
    const pages = new SqliteConnection(logFileOf(file), 'checkpoints')
    const entry = 'x'.repeat(1_000_000)
    let highest = 0
    for (let i = 0; i < 60; i++) {
      await store.writeLog([insertion(`h${i}`, entry)])
      highest = Math.max(highest, pages.logFrames())
    }
    pages.close()
    assert.ok(
      highest >= db_limits.request_log_wal_pages && highest < 2 * db_limits.request_log_wal_pages,
      String(highest),
    )
  })
})
