/** A Citus cluster: tables are placed with their rows, what is not supported is refused, and row-level security is in force on the shards. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { checkCluster } from '../../src/cli/doctor-checks.ts'
import { writeBackup } from '../../src/db/backup/backup.ts'
import { restoreBackup } from '../../src/db/backup/restore.ts'
import { distribute, unplacedTables } from '../../src/db/citus/distribute.ts'
import { db_limits } from '../../src/db/limits.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openStore } from '../../src/db/open.ts'
import { openClient } from '../../src/db/postgres/client.ts'
import { app_role } from '../../src/db/postgres/row-security.ts'
import { run } from '../../src/db/postgres/statement.ts'
import { definition, type Placeholder, query, rawQuery } from '../../src/db/query.ts'
import { DatabaseMisconfigured, type Store, type Tx } from '../../src/db/store.ts'
import { HandClock } from '../../src/lib/clock.ts'
import { verifyAudit } from '../../src/resources/audit_logs/verify.ts'
import { foundOrganization } from '../../src/resources/organizations/found.ts'
import { bytesOfPlans, nodesOf, shardsOn } from '../citus.ts'
import { citus_url, newDatabase } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'

const about = { created: 1, secret_key: 'k' }
const founding = { name: 'Acme', ownerEmail: 'ada@acme.example', plan: 'studio', domains: [] } as const
const allWorkspaces = query((db) => db.selectFrom('workspaces').select(['realm', 'title']).orderBy('realm'))
const renumber = rawQuery(
  (p: Placeholder<{ realm: number }>) => sql`update realms set realm = ${p('realm')} where mode = 'test'`,
)
const shardsOf = `select count(distinct get_shard_id_for_distribution_column('event_heads', realm))::int as shards from realms`

const earlier_policy = ['using', 'with check']
  .map(
    (part) => `${part} (current_setting('atrium.system')::boolean
      or realm = any((coalesce(nullif(current_setting('atrium.realms', true), ''), '{}')::bigint[])::bigint[]))`,
  )
  .join(' ')

function onCitus(title: string, test: () => Promise<void>): void {
  it(title, async (context: TestContext) => {
    if (citus_url === null) context.diagnostic('not tried: ATRIUM_TEST_CITUS_URL is not set')
    else await test()
  })
}

async function found(store: Store) {
  return await foundOrganization({ store, clock: new HandClock(1) }, founding)
}

function insertWorkspace(tx: Tx, realm: number): void {
  tx.insert('workspaces', {
    ...{ realm, id: `wsp_${realm}`, created: 1, updated: 1, revision: 1, deleted_at: null },
    ...{ title: 'A', key: 'AA', status: 'active', default_currency: 'EUR', last_number: 0 },
  })
}

/** A backup of a SQLite installation with one organization and a workspace in each realm. */
async function backUp(folder: string, change: (tx: Tx) => void = () => {}): Promise<string> {
  const store = await openStore(`file:${join(folder, 'atrium.db')}`)
  await migrate(store, 1)
  const { realms } = await found(store)
  await store.write('system', async (tx) => {
    for (const realm of Object.values(realms)) insertWorkspace(tx, realm)
    change(tx)
  })
  const path = join(folder, 'backup.gz')
  await writeBackup(store, path, about)
  await store.close()
  return path
}

describe('On Citus', () => {
  onCitus('a session that repeats a statement keeps no more for its plans', async () => {
    await using database = disposable(await newDatabase('postgres'))
    const store = await openStore(database.url)
    await migrate(store, 1)
    await store.close()
    assert.deepEqual(await bytesOfPlans(database.url, 300), await bytesOfPlans(database.url, 20))
  })

  onCitus('a session on a node keeps a limited number of statements and one plan of each', async () => {
    await using database = disposable(await newDatabase('postgres'))
    const store = await openStore(database.url)
    await migrate(store, 1)
    await store.close()
    const url = (await nodesOf(database.url)).at(-1) as string
    const [shard] = await shardsOn(url)
    const of = { bypassesRowSecurity: false, isPooled: false, isCitus: true, holdsRows: true }
    const client = await openClient({ config: { connectionString: url, pipeline: true } as pg.ClientConfig, ...of })
    const read = (name: string, key: number) =>
      run(client, { name, sql: `select ${key} as key from tasks_${shard} where realm = $1`, values: [1] })
    const count = async (what: string) =>
      (await client.query(`select ${what}::int as count from pg_prepared_statements`)).rows[0].count
    for (let i = 0; i < 100; i++) await read('one', 0)
    assert.equal(await count('sum(generic_plans + custom_plans)'), 100)
    assert.ok((await count('max(custom_plans)')) <= 5, 'the plan is kept')
    const many = Array.from({ length: db_limits.shard_statements_max + 50 }, (_, i) => i)
    await Promise.all(many.map((i) => read(`many ${i}`, i)))
    for (const i of many) await read(`many ${i}`, i)
    assert.equal(await count('count(*)'), db_limits.shard_statements_max)
    await client.end()
  })

  onCitus('a backup of SQLite is restored with its rows, every table placed and both realms on one shard', async () => {
    await using database = disposable(await newDatabase('postgres'))
    const path = await backUp(database.folder)
    await using opened = closing(await openStore(database.url))
    const { store } = opened
    await restoreBackup(store, path, 2)
    const reader = store.reader('system')
    assert.deepEqual(await unplacedTables(reader), [])
    assert.deepEqual(
      (await reader.all(allWorkspaces)).map(({ realm }) => realm),
      [1, 2 ** 32],
    )
    assert.deepEqual(await verifyAudit(store), { ok: true, entries: 0 })
    const client = new pg.Client(database.url)
    await client.connect()
    assert.equal((await client.query(shardsOf)).rows[0].shards, 1)
    await client.end()
  })

  onCitus('organizations whose realms would lie on different shards are refused by name', async () => {
    await using database = disposable(await newDatabase('postgres'))
    const path = await backUp(database.folder, (tx) => tx.write(renumber, { realm: 2 }))
    await using opened = closing(await openStore(database.url))
    await assert.rejects(restoreBackup(opened.store, path, 2), (error) => {
      return (
        error instanceof DatabaseMisconfigured &&
        /^The realms of 1 organizations \(first: org_\w+\)/.test(error.message)
      )
    })
  })

  onCitus('processes that start together place every table once', async () => {
    await using database = disposable(await newDatabase('postgres'))
    const stores = await Promise.all([1, 2, 3].map(() => openStore(database.url)))
    try {
      await Promise.all(stores.map((store) => migrate(store, 1)))
      assert.deepEqual(await unplacedTables((stores[0] as Store).reader('system')), [])
    } finally {
      await Promise.all(stores.map((store) => store.close()))
    }
  })

  onCitus('a session sees only rows of its own realms, on every shard', async () => {
    await using database = disposable(await migratedDatabase('postgres'))
    await using opened = closing(await openStore(database.url))
    const { store } = opened
    const organizations = [await found(store), await found(store), await found(store)]
    await store.write('system', async (tx) => {
      for (const { realms } of organizations) for (const realm of Object.values(realms)) insertWorkspace(tx, realm)
    })
    assert.equal((await store.reader('system').all(allWorkspaces)).length, 6)
    for (const { organization, realms } of organizations) {
      const scope = { organization, realms: [realms.live] }
      const own = [{ realm: realms.live, title: 'A' }]
      assert.deepEqual(await store.reader(scope).all(allWorkspaces), own)
      assert.deepEqual(await store.snapshot(scope, async (reader) => await reader.all(allWorkspaces)), own)
      assert.deepEqual(await store.write(scope, async (tx) => await tx.all(allWorkspaces)), own)
      await assert.rejects(
        store.write(scope, async (tx) => insertWorkspace(tx, realms.test)),
        /row-level security/,
      )
    }
  })

  onCitus('policies of an earlier version are replaced, and show its processes the same rows', async () => {
    await using database = disposable(await migratedDatabase('postgres'))
    await using opened = closing(await openStore(database.url))
    const { store } = opened
    const { realms } = await found(store)
    await store.write('system', async (tx) => insertWorkspace(tx, realms.live))
    await store.migrate(async (tx) => tx.write(definition(`alter policy tenant on workspaces ${earlier_policy}`)))
    assert.deepEqual(await distribute(store), [])
    const client = new pg.Client(database.url)
    await client.connect()
    const { rows } = await client.query(`select qual from pg_policies where tablename = 'workspaces'`)
    assert.match(rows[0].qual, /strpos/)
    const see = async (list: string) => {
      await client.query('begin')
      await client.query(`set local role ${app_role}`)
      await client.query(`set local citus.propagate_set_commands to 'local'`)
      for (const setting of [`system to 'off'`, `organization to ''`, `realms to '${list}'`])
        await client.query(`set local atrium.${setting}`)
      const seen = await client.query('select realm::int as realm from workspaces')
      await client.query('rollback')
      return seen.rows.map(({ realm }) => realm)
    }
    for (const list of [`{${realms.live}}`, `{9,${realms.live}}`, `{ 9 , ${realms.live} }`])
      assert.deepEqual(await see(list), [realms.live], list)
    for (const list of ['{}', '{ }', `{${realms.live}9}`, `{ ${realms.live}9 }`])
      assert.deepEqual(await see(list), [], list)
    await client.end()
  })

  onCitus('replicas are refused, and doctor names the nodes', async () => {
    await using database = disposable(await migratedDatabase('postgres'))
    await using opened = closing(await openStore(database.url))
    const { store } = opened
    await assert.rejects(openStore(database.url, { direct: null, reads: [database.url] }), DatabaseMisconfigured)
    const [placed, nodes] = await checkCluster(store.reader('system'))
    assert.equal(placed?.status, 'ok')
    // A throwaway cluster does not wait for the disk.
    assert.match(nodes?.found ?? '', /^127\.0\.0\.1:\d+ has fsync off, full_page_writes off(; |$)/)
  })
})

function disposable<T extends { remove(): Promise<void> }>(database: T): T & AsyncDisposable {
  return Object.assign(database, { [Symbol.asyncDispose]: () => database.remove() })
}

function closing(store: Store): { store: Store } & AsyncDisposable {
  return { store, [Symbol.asyncDispose]: () => store.close() }
}
