/** A server behind pgbouncer in transaction mode: no session outlives a transaction, and nothing depends on one. */
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { openStore } from '../../src/db/open.ts'
import { query, rawQuery } from '../../src/db/query.ts'
import { DatabaseMisconfigured, type Store, type TenantScope } from '../../src/db/store.ts'
import { newLeaseOwner } from '../../src/workers/leases.ts'
import { call } from '../call.ts'
import type { Database } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'
import { findPgbouncer, type Pgbouncer, startPgbouncer } from '../pgbouncer.ts'
import { openStream } from '../stream.ts'
import { type Installation, install, makeWorkspace } from './installation.ts'
import { endProcesses, serve } from './processes.ts'
import { assertReplays, assertSound, assertTasksAre, reading } from './soundness.ts'
import { Writers } from './writers.ts'

const program = findPgbouncer()

const allWorkspaces = query((db) => db.selectFrom('workspaces').select(['realm', 'title']))
const sessionSettings = rawQuery(
  () => sql<{ name: string; value: string }>`select name, setting as value from pg_settings where name in
    ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`,
)

/** Runs where pgbouncer can be had; elsewhere says why it cannot. */
function behindPgbouncer(title: string, test: () => Promise<void>): void {
  it(title, async (context: TestContext) => {
    if (typeof program === 'string') context.diagnostic(`not tried: ${program}`)
    else await test()
  })
}

describe('Behind pgbouncer in transaction mode', () => {
  let database: Database
  let acme: Installation
  let globex: Installation
  let pooled: string
  let bouncer: (Pgbouncer & AsyncDisposable) | null = null

  before(async () => {
    if (typeof program === 'string') return
    database = await migratedDatabase('postgres')
    acme = await install(database.url, database.folder)
    globex = await install(database.url, database.folder)
    bouncer = await startPgbouncer(program, database.url)
    pooled = bouncer.url
  })
  after(async () => {
    endProcesses()
    await bouncer?.[Symbol.asyncDispose]()
    await database?.remove()
  })

  const environment = () => ({
    ...acme.environment,
    ATRIUM_DATABASE_URL: pooled,
    ATRIUM_DATABASE_DIRECT_URL: database.url,
  })
  const open = (): Promise<Store> => openStore(pooled, { direct: database.url })
  const scopeOf = ({ organization, realms }: Installation): TenantScope => ({ organization, realms: [realms.live] })

  behindPgbouncer('the start is refused without the URL of PostgreSQL itself, or with that of a pooler', async () => {
    for (const direct of [null, pooled]) {
      await assert.rejects(openStore(pooled, { direct }), (error) => {
        return error instanceof DatabaseMisconfigured && error.message.startsWith('ATRIUM_DATABASE_DIRECT_URL ')
      })
    }
  })

  behindPgbouncer(
    'it is recognized although it ignores the settings of a session instead of refusing them',
    async () => {
      const ignored = 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout'
      const settings = `ignore_startup_parameters = ${ignored}`
      await using silent = await startPgbouncer(program as Exclude<typeof program, string>, database.url, settings)
      await assert.rejects(openStore(silent.url), DatabaseMisconfigured)
    },
  )

  behindPgbouncer('tenants that share its connections see only their own rows, whatever a query names', async () => {
    const store = await open()
    try {
      const both = [acme, globex]
      for (const each of both) await makeWorkspaces(store, each)
      const answers = await Promise.all(
        Array.from({ length: 300 }, async (_, i) => {
          const own = both[i % 2] as Installation
          const scope = scopeOf(own)
          const read = [
            async () => await store.reader(scope).all(allWorkspaces),
            () => store.snapshot(scope, async (reader) => await reader.all(allWorkspaces)),
            () => store.write(scope, async (tx) => await tx.all(allWorkspaces)),
          ][i % 3] as () => Promise<{ realm: number }[]>
          const rows = await read()
          return rows.length === 1 && rows[0]?.realm === own.realms.live
        }),
      )
      assert.deepEqual(new Set(answers), new Set([true]))
      const nothing = await store.reader({ organization: '', realms: [] }).all(allWorkspaces)
      assert.deepEqual(nothing, [])
    } finally {
      await store.close()
    }
  })

  behindPgbouncer(
    'each transaction has the time limits, and no session keeps settings, locks or statements',
    async () => {
      const store = await open()
      const admin = new pg.Client(pooled)
      try {
        const limits = await store.reader('system').all(sessionSettings)
        assert.deepEqual(
          limits.map(({ value }) => Number(value)),
          [30_000, 5_000, 30_000],
        )
        await admin.connect()
        const { rows } = await admin.query(
          `select current_user as role, coalesce(current_setting('atrium.system', true), '') as system,
          (select count(*)::int from pg_prepared_statements) as statements,
          (select count(*)::int from pg_locks where locktype = 'advisory'
            and database = (select oid from pg_database where datname = current_database())) as locks`,
        )
        assert.deepEqual(rows, [{ role: new URL(pooled).username, system: '', statements: 0, locks: 0 }])
      } finally {
        await admin.end()
        await store.close()
      }
    },
  )

  behindPgbouncer('a process is seen to live and to end, although the pooler keeps its sessions', async () => {
    const [one, other] = [await open(), await open()]
    const name = newLeaseOwner(one).split('@')[1] as string
    while ((await other.processes.others()) === 0);
    assert.deepEqual(await other.processes.ended([name]), [])
    // All sessions of the pooler have served this process last.
    const used = () => one.snapshot('system', async (reader) => await reader.all(allWorkspaces))
    await Promise.all(Array.from({ length: 40 }, used))
    await one.close()
    assert.deepEqual(await other.processes.ended([name]), [name])
    await other.close()
  })

  behindPgbouncer(
    'two servers keep every promise while it is killed, and streams carry the events of both',
    async () => {
      const servers = [await serve(environment()), await serve(environment())]
      const [first, second] = servers.map(({ url }) => url) as [string, string]
      const workspace = await makeWorkspace(first, acme.key)
      const stream = await openStream(second, acme.key, 'types[]=workflow.task.created')
      await stream.begun()
      let made = 0
      let turn = 0
      const writers = new Writers(8, () => ({ path: '/v1/tasks', body: { workspace, title: `Task ${++made}` } }))
      writers.start(() => servers[turn++ % servers.length]?.url ?? first, acme.key)
      try {
        for (let cycle = 0; cycle < 3; cycle++) {
          await writers.more(60)
          await bouncer?.kill()
          await bouncer?.restart()
        }
        await writers.more(20)
      } finally {
        await writers.stop()
      }
      await stream.has(writers.answered.length)
      assert.deepEqual(writers.wrong, [])
      await assertReplays(first, acme.key, writers.answered)
      const list = await call(second, 'GET', '/v1/tasks?limit=3&sort=-created', { key: acme.key })
      assert.equal(list.body.data.length, 3)
      await reading(database.url, async (reader) => {
        await assertSound(reader, acme.organization)
        await assertTasksAre(reader, acme, writers.answered)
      })
      for (const server of servers) assert.equal(await server.stop(), 0, server.log())
    },
  )
})

/** A workspace of the organization, which a query that names no tenant would show to all. */
async function makeWorkspaces(store: Store, { organization, realms }: Installation): Promise<void> {
  await store.write({ organization, realms: [realms.live] }, async (tx) =>
    tx.insert('workspaces', {
      ...{ realm: realms.live, id: `wsp_${realms.live}`, created: 1, updated: 1, revision: 1, deleted_at: null },
      ...{ title: organization, key: 'AA', status: 'active', default_currency: 'EUR', last_number: 0 },
    }),
  )
}
