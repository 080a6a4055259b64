/** A job for several organizations has their rows in one transaction, each by the organization that the statement is for. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { migrate } from '../../src/db/migrate.ts'
import { openStore } from '../../src/db/open.ts'
import { type Placeholder, query } from '../../src/db/query.ts'
import type { Store, TenantScope, Tx } from '../../src/db/store.ts'
import { type Database, onEveryEngine } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'

const acme = { organization: 'org_a', realms: [1] }
const globex = { organization: 'org_b', realms: [3] }
const initech = { organization: 'org_c', realms: [5] }

const everyLog = query((db) => db.selectFrom('request_logs').select(['realm', 'id']).orderBy('realm').orderBy('id'))
const ofRealm = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('request_logs').select(['realm', 'id']).where('realm', '=', p('realm')).orderBy('id'),
)
const byId = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.selectFrom('request_logs').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)
const removeAll = query((db) => db.deleteFrom('request_logs'))

function realmOf({ realms }: TenantScope): number {
  return realms[0] as number
}

function insertLog(tx: Tx, scope: TenantScope, id: string): void {
  tx.insert('request_logs', { realm: realmOf(scope), id, created: 1, entry: '{}' })
}

onEveryEngine('A job for several organizations', (engine) => {
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

  const all = () => store.reader('system').all(everyLog)

  async function begin(): Promise<void> {
    await store.write('system', async (tx) => {
      tx.write(removeAll)
      for (const scope of [acme, globex, initech]) insertLog(tx, scope, 'first')
    })
  }

  it('reads and writes rows of each, in one commit', async () => {
    await begin()
    const { commits } = store.status()
    const found = await store.writeAcross([acme, globex], async (viewOf) => {
      const views = [acme, globex].map((scope) => [scope, viewOf(scope)] as const)
      for (const [scope, tx] of views) insertLog(tx, scope, 'second')
      return await Promise.all(views.map(async ([scope, tx]) => await tx.all(ofRealm, { realm: realmOf(scope) })))
    })
    const rows = (scope: TenantScope) => ['first', 'second'].map((id) => ({ realm: realmOf(scope), id }))
    assert.deepEqual(found, [rows(acme), rows(globex)])
    assert.equal(store.status().commits - commits, 1)
    assert.equal((await all()).length, 5)
  })

  it('leaves nothing if it fails, whatever it has written for the others', async () => {
    await begin()
    const failing = store.writeAcross([acme, globex], async (viewOf) => {
      insertLog(viewOf(acme), acme, 'second')
      insertLog(viewOf(globex), globex, 'first')
      await viewOf(globex).all(ofRealm, { realm: realmOf(globex) })
    })
    await assert.rejects(failing)
    assert.equal((await all()).length, 3)
  })

  it('answers many look-ups of one turn each with its own row or none', async () => {
    await begin()
    const found = await store.writeAcross([acme, globex], async (viewOf) => {
      const look = async (scope: TenantScope, id: string) =>
        (await viewOf(scope).first(byId, { realm: realmOf(scope), id }))?.realm
      return await Promise.all([look(acme, 'first'), look(globex, 'none'), look(globex, 'first'), look(acme, 'first')])
    })
    assert.deepEqual(found, [realmOf(acme), undefined, realmOf(globex), realmOf(acme)])
  })

  // SQLite has no row-level security: there the queries alone name their tenant.
  if (engine === 'postgres') {
    it('sees no row of another organization, even if a query does not name its tenant, or names a foreign one', async () => {
      await begin()
      const seen = await store.writeAcross([acme, globex], async (viewOf) => [
        await viewOf(acme).all(everyLog),
        await viewOf(acme).all(ofRealm, { realm: realmOf(globex) }),
        await viewOf(globex).all(everyLog),
        await viewOf(globex).all(ofRealm, { realm: realmOf(initech) }),
      ])
      const first = (scope: TenantScope) => [{ realm: realmOf(scope), id: 'first' }]
      assert.deepEqual(seen, [first(acme), [], first(globex), []])
      await assert.rejects(
        store.writeAcross([acme], async (viewOf) => viewOf(initech)),
        /not for this organization/,
      )
    })

    it('writes no row of an organization that it is not for', async () => {
      await begin()
      const writing = store.writeAcross([acme, globex], async (viewOf) => insertLog(viewOf(acme), globex, 'second'))
      await assert.rejects(writing, /row-level security/)
      assert.equal((await all()).length, 3)
    })
  }
})
