/** The guarantees of the store for its jobs (`db/store.ts`). */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { db_limits } from '../../src/db/limits.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openStore } from '../../src/db/open.ts'
import { type Placeholder, query } from '../../src/db/query.ts'
import { type Store, StoreUnavailable, type Tx } from '../../src/db/store.ts'
import { type Database, onEveryEngine } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'

const scope = { organization: 'org_a', realms: [1] }

const idsOfLogs = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('request_logs').select('id').where('realm', '=', p('realm')).orderBy('id'),
)

function insertLog(tx: Tx, id: string): void {
  tx.insert('request_logs', { realm: 1, id, created: 1, entry: '{}' })
}

onEveryEngine('The store', (engine) => {
  let database: Database
  let store: Store

  before(async () => {
    database = await migratedDatabase(engine)
    store = await openStore(database.url)
    await migrate(store, 1)
    await store.write('system', async (tx) =>
      tx.insert('audit_heads', { home: 1, organization: 'org_a', sequence: 0, previous_hash: '', hash: '' }),
    )
  })
  after(async () => {
    await store.close()
    await database.remove()
  })

  async function written(): Promise<string[]> {
    const rows = await store.reader(scope).all(idsOfLogs, { realm: 1 })
    await store.write('system', async (tx) => tx.write(query((db) => db.deleteFrom('request_logs'))))
    return rows.map((row) => row.id)
  }

  it('commits the other jobs of a batch in one transaction if a job fails before it writes', async () => {
    const before = store.status()
    const outcomes = await Promise.allSettled([
      store.write(scope, async (tx) => insertLog(tx, 'a')),
      store.write(scope, async (tx) => {
        await tx.all(idsOfLogs, { realm: 1 })
        throw new Error('refused')
      }),
      store.write(scope, async (tx) => insertLog(tx, 'c')),
    ])
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    const { writes, commits } = store.status()
    assert.deepEqual([writes - before.writes, commits - before.commits], [2, 1])
    assert.deepEqual(await written(), ['a', 'c'])
  })

  it('rolls back a job that fails after it has written, and only that job', async () => {
    const outcomes = await Promise.allSettled([
      store.write(scope, async (tx) => insertLog(tx, 'a')),
      store.write(scope, async (tx) => {
        insertLog(tx, 'b')
        await tx.all(idsOfLogs, { realm: 1 })
        throw new Error('too late')
      }),
      store.write(scope, async (tx) => insertLog(tx, 'c')),
    ])
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.match(String((outcomes[1] as PromiseRejectedResult).reason), /too late/)
    assert.deepEqual(await written(), ['a', 'c'])
  })

  it('rolls back a job whose statement the engine refuses, even if the job does not await it', async () => {
    const outcomes = await Promise.allSettled([
      store.write(scope, async (tx) => insertLog(tx, 'a')),
      store.write(scope, async (tx) => {
        insertLog(tx, 'b')
        insertLog(tx, 'b')
      }),
      store.write(scope, async (tx) => insertLog(tx, 'c')),
    ])
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.ok(!((outcomes[1] as PromiseRejectedResult).reason instanceof StoreUnavailable), 'it is a fault of the job')
    assert.deepEqual(await written(), ['a', 'c'])
  })

  it('never reports a job as done if its statement failed, even if the job catches the error', async () => {
    const hidden = store.write(scope, async (tx) => {
      insertLog(tx, 'a')
      try {
        await tx.run(duplicateLog)
      } catch {
        return 'fine'
      }
      return 'fine'
    })
    await assert.rejects(hidden)
    assert.deepEqual(await written(), [])
  })

  it('survives promises that a job does not await, and fails the job', async () => {
    const forgetful = store.write(scope, async (tx) => {
      insertLog(tx, 'a')
      void tx.heads('org_a')
      void tx.run(duplicateLog)
      void tx.all(noSuchTable)
    })
    await assert.rejects(forgetful)
    assert.deepEqual(await written(), [])
  })

  it('refuses writes of code that a job left running', async () => {
    const { promise: later, resolve: proceed } = Promise.withResolvers<void>()
    let straggler: Promise<void> = Promise.resolve()
    await store.write(scope, async (tx) => {
      insertLog(tx, 'a')
      straggler = later.then(() => insertLog(tx, 'b'))
    })
    proceed()
    await assert.rejects(straggler, /after its end/)
    assert.deepEqual(await written(), ['a'])
  })

  it('makes a hundred concurrent writes durable with far fewer commits', async () => {
    const before = store.status()
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        store.write(scope, async (tx) => insertLog(tx, String(i).padStart(3, '0'))),
      ),
    )
    const { writes, commits } = store.status()
    assert.equal(writes - before.writes, 100)
    assert.ok(commits - before.commits <= 10, `${commits - before.commits} commits`)
    assert.equal((await written()).length, 100)
  })

  it('shows a snapshot one state while other readers see later writes', async () => {
    await store.snapshot(scope, async (snapshot) => {
      assert.equal((await snapshot.all(idsOfLogs, { realm: 1 })).length, 0)
      await store.write(scope, async (tx) => insertLog(tx, 'a'))
      assert.equal((await snapshot.all(idsOfLogs, { realm: 1 })).length, 0)
      assert.equal((await store.reader(scope).all(idsOfLogs, { realm: 1 })).length, 1)
      await store.snapshot(scope, async (later) => {
        assert.equal((await later.all(idsOfLogs, { realm: 1 })).length, 1)
      })
    })
    assert.deepEqual(await written(), ['a'])
  })

  it('rethrows an error of a snapshot, and continues', async () => {
    const refused = store.snapshot(scope, async () => {
      throw new Error('refused')
    })
    await assert.rejects(refused, /refused/)
    assert.deepEqual(await store.snapshot(scope, async (reader) => await reader.all(idsOfLogs, { realm: 1 })), [])
  })

  it(`refuses the first write beyond ${db_limits.waiting_writes_max} that wait`, async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: db_limits.waiting_writes_max + 1 }, () => store.write(scope, async () => 'done')),
    )
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.deepEqual(
      refused.map(({ reason }) => reason.message),
      ['too many writes wait'],
    )
    assert.equal(store.status().waiting, 0)
  })

  it('completes waiting writes before it closes, and refuses later ones', async () => {
    const other = await openStore(database.url)
    const waiting = Array.from({ length: 300 }, (_, i) =>
      other.write(scope, async (tx) => insertLog(tx, String(i).padStart(3, '0'))),
    )
    await Promise.all([other.close(), ...waiting])
    await assert.rejects(
      other.write(scope, async (tx) => insertLog(tx, 'late')),
      StoreUnavailable,
    )
    assert.equal((await written()).length, 300)
  })
})

const duplicateLog = query((db) =>
  db.insertInto('request_logs').values([
    { realm: 1, id: 'x', created: 1, entry: '{}' },
    { realm: 1, id: 'x', created: 1, entry: '{}' },
  ]),
)

const noSuchTable = query((db) => db.selectFrom('nothing' as 'workers').select('name'))
