/** Rows cached for a batch equal the rows that the engine would return, compared after every write. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../src/db/migrate.ts'
import { openStore } from '../../src/db/open.ts'
import { type Placeholder, type Query, query, rawQuery } from '../../src/db/query.ts'
import type { Store, Tx } from '../../src/db/store.ts'
import { type Database, onEveryEngine } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'

const scope = { organization: 'org_a', realms: [1] }

/** The values of the statements below; each takes some of them. */
type LogValues = {
  realm: number
  id: string
  created: number
  entry: string
  new_created: number
  new_entry: string
}

/** The same question thrice: as a look-up and as a list, which may be cached, and in a form that is always asked. */
interface Pair {
  readonly kept: Query<object, LogValues>
  readonly listed: Query<object, LogValues>
  readonly fresh: Query<object, LogValues>
}

function pair(columns: readonly ('realm' | 'id' | 'created' | 'entry')[]): Pair {
  const where = (form: keyof Pair) =>
    query((db, p: Placeholder<LogValues>) => {
      let select = db.selectFrom('request_logs').selectAll()
      for (const column of columns) select = select.where(column, '=', p(column))
      if (form === 'fresh') select = select.where(sql<boolean>`(1 = 1 or 1 = 2)`)
      return form === 'kept' ? select : select.orderBy('id')
    })
  return { kept: where('kept'), listed: where('listed'), fresh: where('fresh') }
}

const pairs = [pair(['realm', 'id']), pair(['realm', 'created']), pair(['entry'])]

const update = (set: 'created' | 'entry', by: 'id' | 'created' | 'entry') =>
  query((db, p: Placeholder<LogValues>) =>
    db
      .updateTable('request_logs')
      .set({ [set]: p(`new_${set}`) })
      .where('realm', '=', p('realm'))
      .where(by, '=', p(by)),
  )

/** Every form in which the program changes rows, and some more. */
const writes: readonly Query<unknown, LogValues>[] = [
  query((db, p: Placeholder<LogValues>) =>
    db
      .insertInto('request_logs')
      .values({ realm: p('realm'), id: p('id'), created: p('new_created'), entry: p('new_entry') })
      .onConflict((conflict) =>
        conflict.columns(['realm', 'id']).doUpdateSet((eb) => ({ entry: eb.ref('excluded.entry') })),
      ),
  ),
  update('entry', 'id'),
  update('created', 'id'),
  update('entry', 'created'),
  update('created', 'entry'),
  update('entry', 'entry'),
  query((db, p: Placeholder<{ new_entry: string; realm: number; id: string; created: number }>) =>
    db
      .updateTable('request_logs')
      .set({ entry: p('new_entry') })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where('created', '>', p('created')),
  ),
  query((db, p: Placeholder<{ realm: number; id: string }>) =>
    db
      .updateTable('request_logs')
      .set((row) => ({ created: row('created', '+', 1) }))
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id')),
  ),
  query((db, p: Placeholder<{ new_entry: string; id: string; created: number }>) =>
    db
      .updateTable('request_logs')
      .set({ entry: p('new_entry') })
      .where((or) => or.or([or('id', '=', p('id')), or('created', '=', p('created'))])),
  ),
  query((db, p: Placeholder<{ new_entry: string }>) => db.updateTable('request_logs').set({ entry: p('new_entry') })),
  query((db, p: Placeholder<{ realm: number; id: string }>) =>
    db.deleteFrom('request_logs').where('realm', '=', p('realm')).where('id', '=', p('id')),
  ),
  query((db, p: Placeholder<{ entry: string }>) => db.deleteFrom('request_logs').where('entry', '=', p('entry'))),
  query((db, p: Placeholder<{ created: number }>) => db.deleteFrom('request_logs').where('created', '<', p('created'))),
  rawQuery(
    (p: Placeholder<{ new_entry: string; id: string }>) =>
      sql`update request_logs set entry = ${p('new_entry')} where id = ${p('id')}`,
  ),
  rawQuery((p: Placeholder<{ created: number }>) => sql`delete from request_logs where created = ${p('created')}`),
]

/** Numbers below `below` from a seed. */
function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

onEveryEngine('Rows cached for a batch', (engine) => {
  let database: Database
  let store: Store
  let seen = new Set<string>()

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

  async function compare(tx: Tx): Promise<void> {
    for (let i = 0; i < 3; i++) {
      const values = { ...{ realm: 1, id: `log_${i}`, created: i, entry: `"${i}"` }, new_created: 0, new_entry: '' }
      for (const { kept, listed, fresh } of pairs) {
        const asked = [tx.all(kept, values), tx.all(listed, values), tx.all(fresh, values)]
        const [rows = [], list, truth] = await Promise.all(asked)
        assert.deepEqual([rows.toSorted(byId), list], [truth, truth])
        seen.add(JSON.stringify(truth))
      }
    }
  }

  async function step(tx: Tx, below: (below: number) => number): Promise<void> {
    const id = `log_${below(3)}`
    const values: LogValues = {
      ...{ realm: 1, id, created: below(3), entry: `"${below(3)}"` },
      ...{ new_created: below(3), new_entry: `"${below(3)}"` },
    }
    const found = await tx.first((pairs[0] as Pair).kept, values)
    if (found === undefined) tx.insert('request_logs', { realm: 1, id, created: below(3), entry: `"${below(3)}"` })
    else tx.write(writes[below(writes.length)] as Query<unknown, LogValues>, values)
    await compare(tx)
  }

  it('are those that the engine returns, after any write of any job of the batch', async () => {
    seen = new Set()
    const before = store.status()
    const ahead = async (reader: Pick<Tx, 'all'>) => {
      for (let i = 0; i < 3; i++) {
        const values = { ...{ realm: 1, id: `log_${i}`, created: i, entry: `"${i}"` }, new_created: 0, new_entry: '' }
        await Promise.all(pairs.map(async ({ kept }) => await reader.all(kept, values)))
      }
    }
    for (let seed = 1; seed <= 8; seed++) {
      const below = chance(seed)
      const jobs = Array.from({ length: 10 }, () =>
        store.write(
          scope,
          async (tx) => {
            for (let i = 0; i < 3; i++) await step(tx, below)
          },
          { ahead },
        ),
      )
      await Promise.all(jobs)
    }
    const { writes: written, commits } = store.status()
    assert.deepEqual([written - before.writes, commits - before.commits < 40], [80, true], 'jobs shared commits')
    assert.ok(seen.size > 30, `only ${seen.size} different answers were compared`)
  })

  it('shows a job what an earlier job of its batch has written, although the row was read before', async () => {
    await store.write(scope, async (tx) => tx.write(query((db) => db.deleteFrom('request_logs'))))
    const { kept } = pairs[0] as Pair
    const values = { realm: 1, id: 'log_a', created: 0, entry: '', new_created: 0, new_entry: '' }
    const ahead = async (reader: Pick<Tx, 'first'>) => await reader.first(kept, values)
    const look = () => store.write(scope, async (tx) => await tx.first(kept, values), { ahead })
    const row = { realm: 1, id: 'log_a', created: 1, entry: '1' }
    const found = await Promise.all([
      look(),
      store.write(scope, async (tx) => tx.insert('request_logs', row)),
      look(),
      store.write(scope, async (tx) => tx.write(update('entry', 'id'), { ...values, new_entry: '2' })),
      look(),
    ])
    assert.deepEqual([found[0], found[2], found[4]], [undefined, row, { ...row, entry: '2' }])
  })

  it('gives every reader rows of its own, as they were when it asked', async () => {
    const { kept } = pairs[0] as Pair
    const values = { realm: 1, id: 'log_a', created: 0, entry: '', new_created: 0, new_entry: '' }
    await store.write(scope, async (tx) => {
      const first = tx.first(kept, values)
      tx.write(update('entry', 'id'), { ...values, new_entry: '3' })
      const second = (await tx.first(kept, values)) as { entry: string }
      assert.equal(((await first) as { entry: string }).entry, '2')
      assert.equal(second.entry, '3')
      second.entry = 'scribbled'
      assert.equal(((await tx.first(kept, values)) as { entry: string }).entry, '3')
    })
  })
})

function byId(a: object, b: object): number {
  return (a as { id: string }).id < (b as { id: string }).id ? -1 : 1
}
