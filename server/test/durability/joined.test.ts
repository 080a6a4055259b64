/**
 * Statements of many jobs or requests are sent together on PostgreSQL: each gets the result that it would get alone.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../src/db/migrate.ts'
import { openStore } from '../../src/db/open.ts'
import { literal, type Placeholder, query } from '../../src/db/query.ts'
import type { Store, Tx } from '../../src/db/store.ts'
import { type Database, onEveryEngine } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'

const scope = { organization: 'org_a', realms: [1, 2] }

const byId = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.selectFrom('request_logs').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)
const partById = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.selectFrom('request_logs').select(['entry']).where('realm', '=', p('realm')).where('id', '=', p('id')),
)
const ofRealm = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('request_logs').select(['id', 'created', 'entry']).where('realm', '=', p('realm')).orderBy('id'),
)
const few_rows = 3
const fewWith = query((db, p: Placeholder<{ realm: number; created: number }>) =>
  db
    .selectFrom('request_logs')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('created', '=', p('created'))
    .where('entry', '!=', sql.lit('"hidden"'))
    .limit(literal(few_rows)),
)
const setCreated = query((db, p: Placeholder<{ created: number; realm: number; id: string }>) =>
  db
    .updateTable('request_logs')
    .set({ created: p('created') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)
const setEntry = query((db, p: Placeholder<{ entry: string; realm: number; created: number }>) =>
  db
    .updateTable('request_logs')
    .set({ entry: p('entry') })
    .where('realm', '=', p('realm'))
    .where('created', '=', p('created')),
)
const replaceEntry = query((db, p: Placeholder<{ created: number; entry: string; realm: number; id: string }>) =>
  db
    .insertInto('request_logs')
    .values({ realm: p('realm'), id: p('id'), created: p('created'), entry: p('entry') })
    .onConflict((conflict) =>
      conflict.columns(['realm', 'id']).doUpdateSet((eb) => ({ entry: eb.ref('excluded.entry') })),
    ),
)
const insertUnlessThere = query((db, p: Placeholder<{ created: number; entry: string; realm: number; id: string }>) =>
  db
    .insertInto('request_logs')
    .values({ realm: p('realm'), id: p('id'), created: p('created'), entry: p('entry') })
    .onConflict((conflict) => conflict.columns(['realm', 'id']).doNothing()),
)
const remove = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.deleteFrom('request_logs').where('realm', '=', p('realm')).where('id', '=', p('id')),
)
const removeAll = query((db, p: Placeholder<{ realm: number }>) =>
  db.deleteFrom('request_logs').where('realm', '=', p('realm')),
)

/** One write of a sequence, in either realm. */
type Step = (tx: Tx, realm: number) => void

/** Writes whose result is not awaited, from a seed. A removed id may be inserted again. */
function stepsFrom(seed: number): Step[] {
  let state = seed
  const below = (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
  const there = new Set<string>()
  return Array.from({ length: 60 }, (_, n): Step => {
    const [id, created] = [`log_${below(12)}`, below(4)]
    const entry = `"${n} \\ ' é 😀"`
    const unique = below(3)
    if (unique === 0) there.add(id)
    if (unique === 0 && below(3) === 0) return (tx, realm) => tx.write(insertUnlessThere, { realm, id, created, entry })
    if (unique === 0) return (tx, realm) => tx.write(replaceEntry, { realm, id, created, entry })
    if (!there.has(id)) {
      there.add(id)
      return (tx, realm) => tx.insert('request_logs', { realm, id, created, entry })
    }
    const kind = below(4)
    if (kind === 0) there.delete(id)
    if (kind === 0) return (tx, realm) => tx.write(remove, { realm, id })
    if (kind === 1) return (tx, realm) => tx.write(setEntry, { realm, created, entry })
    return (tx, realm) => tx.write(setCreated, { realm, id, created })
  })
}

onEveryEngine('What is sent together', (engine) => {
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

  const empty = () =>
    store.write(scope, async (tx) => {
      for (const realm of scope.realms) tx.write(removeAll, { realm })
    })

  it('leaves the same rows as the same writes one after the other', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      await empty()
      const steps = stepsFrom(seed)
      const before = store.status().commits
      await Promise.all(
        Array.from({ length: 12 }, (_, job) =>
          store.write(scope, async (tx) => {
            for (const step of steps.slice(job * 5, job * 5 + 5)) step(tx, 1)
          }),
        ),
      )
      assert.ok(store.status().commits - before < 12, 'jobs shared commits')
      for (const step of steps) await store.write(scope, async (tx) => step(tx, 2))
      const reader = store.reader(scope)
      const together = await reader.all(ofRealm, { realm: 1 })
      assert.ok(together.length > 0)
      assert.deepEqual(together, await reader.all(ofRealm, { realm: 2 }), `seed ${seed}`)
    }
  })

  it('fails only the jobs whose rows the engine refuses, although one statement inserts all rows', async () => {
    await empty()
    const insert = (id: string) =>
      store.write(scope, async (tx) => tx.insert('request_logs', { realm: 1, id, created: 1, entry: '1' }))
    const outcomes = await Promise.allSettled(['a', 'b', 'a', 'c', 'b', 'd'].map(insert))
    assert.deepEqual(
      outcomes.map(({ status }) => status === 'fulfilled'),
      [true, true, false, true, false, true],
    )
    const rows = await store.reader(scope).all(ofRealm, { realm: 1 })
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['a', 'b', 'c', 'd'],
    )
  })

  it('answers each of many look-ups with its own row or none, and with objects of its own', async () => {
    await empty()
    const row = (n: number) => ({ realm: 1, id: `log_${n}`, created: n, entry: `"é ${n}"` })
    await store.write(scope, async (tx) => {
      for (let n = 0; n < 300; n++) tx.insert('request_logs', row(n))
    })
    const reader = store.reader(scope)
    const numbers = Array.from({ length: 700 }, (_, i) => (Math.floor(i / 2) * 7) % 320)
    const found = await Promise.all(numbers.map(async (n) => await reader.first(byId, { realm: 1, id: `log_${n}` })))
    assert.deepEqual(
      found,
      numbers.map((n) => (n < 300 ? row(n) : undefined)),
    )
    assert.equal(new Set(found.filter((each) => each !== undefined)).size, numbers.filter((n) => n < 300).length)
    const parts = await Promise.all(
      [1, 2, 999].map(async (n) => await reader.all(partById, { realm: 1, id: `log_${n}` })),
    )
    assert.deepEqual(parts, [[{ entry: '"é 1"' }], [{ entry: '"é 2"' }], []])
  })

  it('answers each of many reads of a few rows with its own: as many as it may have, and none that a condition hides', async () => {
    await empty()
    const row = (n: number) => ({
      realm: 1,
      id: `log_${10 + n}`,
      created: n % 7,
      entry: n % 2 === 0 ? '"hidden"' : `"${n}"`,
    })
    const rows = Array.from({ length: 28 }, (_, n) => row(n))
    await store.write(scope, async (tx) => {
      for (const each of rows) tx.insert('request_logs', each)
      tx.insert('request_logs', { ...row(1), realm: 2 })
    })
    const reader = store.reader(scope)
    const sought = [0, 6, 1, 1, 9]
    const found = await Promise.all(sought.map(async (created) => await reader.all(fewWith, { realm: 1, created })))
    const shown = (created: number) => rows.filter((each) => each.created === created && each.entry !== '"hidden"')
    assert.deepEqual(
      found.map((each) => each.toSorted((a, b) => a.id.localeCompare(b.id))),
      sought.map(shown),
    )
    assert.notEqual(found[2]?.[0], found[3]?.[0])
    for (let n = 1; n < 20; n += 2)
      await store.write(scope, async (tx) => tx.insert('request_logs', { ...row(n), id: `more_${n}`, created: 0 }))
    const many = await Promise.all([0, 1].map(async (created) => await reader.all(fewWith, { realm: 1, created })))
    assert.deepEqual(
      many.map(({ length }) => length),
      [few_rows, 2],
    )
  })

  it('fails only the look-up that the engine refuses', async () => {
    await empty()
    await store.write(scope, async (tx) => tx.insert('request_logs', { realm: 1, id: 'a', created: 1, entry: '1' }))
    const reader = store.reader(scope)
    const look = async (id: string) => await reader.first(byId, { realm: 1, id })
    const outcomes = await Promise.allSettled(['a', 'no\0id', 'b'].map(look))
    const refused = engine === 'postgres' ? 'rejected' : 'fulfilled'
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', refused, 'fulfilled'],
    )
    assert.equal((outcomes[0] as PromiseFulfilledResult<{ id: string }>).value.id, 'a')
  })

  it('stores values that have another type than their column as the engine reads them', async () => {
    // The engine converts them; the types of the program would not let them through.
    const created = [1, '7', 3, '8'] as number[]
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
    ]) {
      await empty()
      await store.write(scope, async (tx) => {
        for (const i of order)
          tx.insert('request_logs', {
            ...{ realm: 1, id: `log_${i}` },
            ...{ created: created[i] as number, entry: '"a"' },
          })
      })
      assert.deepEqual(await store.reader(scope).all(ofRealm, { realm: 1 }), [
        { id: 'log_0', created: 1, entry: '"a"' },
        { id: 'log_1', created: 7, entry: '"a"' },
        { id: 'log_2', created: 3, entry: '"a"' },
        { id: 'log_3', created: 8, entry: '"a"' },
      ])
    }
  })

  it('returns every kind of value as it was written, in rows of any size', async () => {
    await empty()
    const entries = ['', 'plain', '"\\\n\t', 'é', '😀'.repeat(40_000), 'x'.repeat(300_000), '[1,{"a":null}]']
    const created = [0, -1, 9, 2 ** 31, -(2 ** 31), Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
    const rows = entries.map((entry, i) => ({ realm: 1, id: `log_${i}`, created: created[i] as number, entry }))
    await Promise.all(rows.map((row) => store.write(scope, async (tx) => tx.insert('request_logs', row))))
    const reader = store.reader(scope)
    const shown = rows.map(({ id, created, entry }) => ({ id, created, entry }))
    assert.deepEqual(await reader.all(ofRealm, { realm: 1 }), shown)
    assert.deepEqual(await Promise.all(rows.map(async ({ id }) => await reader.first(byId, { realm: 1, id }))), rows)
    const worker = { name: 'w', last_started_at: null, last_ended_at: 5, last_done: 0, last_failed: 0 }
    const rest = { last_error: 'é', lease_until: null, lease_owner: null }
    await store.write('system', async (tx) => tx.insert('workers', { ...worker, ...rest }))
    const workers = query((db) => db.selectFrom('workers').selectAll())
    assert.deepEqual(await store.reader('system').all(workers), [{ ...worker, ...rest }])
  })
})
