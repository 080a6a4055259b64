/** On PostgreSQL one transaction carries the writes of many organizations, and none of them notices the others. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { migrate } from '../../src/db/migrate.ts'
import { openStore } from '../../src/db/open.ts'
import { type Placeholder, query, rawQuery } from '../../src/db/query.ts'
import type { Store, TenantScope, Tx } from '../../src/db/store.ts'
import { type Database, onPostgresServer } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'

/** Organization i has the realms 2i+1 (live) and 2i+2 (test). */
const organizations: readonly TenantScope[] = Array.from({ length: 12 }, (_, i) => ({
  organization: `org_${String.fromCharCode(97 + i)}`,
  realms: [2 * i + 1],
}))
const [acme, globex] = organizations as [TenantScope, TenantScope]

type LogKey = { realm: number; id: string }

const findLog = query((db, p: Placeholder<LogKey>) =>
  db.selectFrom('request_logs').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)
const allLogs = query((db) => db.selectFrom('request_logs').select(['realm', 'id']).orderBy('realm').orderBy('id'))
const someLogs = query((db, p: Placeholder<{ realm: number; created: number }>) =>
  db
    .selectFrom('request_logs')
    .select(['realm', 'id'])
    .where('realm', '=', p('realm'))
    .where('created', '<', p('created'))
    .orderBy('id')
    .limit(9),
)
/** Names a realm, but finds others' rows, too. */
const leaking = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('request_logs')
    .select(['realm', 'id'])
    .where('realm', '=', p('realm'))
    .where(sql<boolean>`1 = 2 or true`),
)
const replaceById = query((db, p: Placeholder<LogKey>) =>
  db
    .insertInto('request_logs')
    .values({ realm: p('realm'), id: p('id'), created: 1, entry: 'replaced' })
    .onConflict((conflict) =>
      conflict.columns(['realm', 'id']).doUpdateSet((eb) => ({ entry: eb.ref('excluded.entry') })),
    ),
)
type Document = { realm: number; object: string; document: number; digest: string }
/** Its key does not name the organization. */
const replaceDocument = query((db, p: Placeholder<Document>) =>
  db
    .insertInto('search_documents')
    .values({
      realm: p('realm'),
      object: p('object'),
      document: p('document'),
      digest: p('digest'),
      type: 'task',
      workspace: null,
      generation: 1,
      title_words: '',
      body_words: '',
    })
    .onConflict((conflict) => conflict.column('document').doUpdateSet((eb) => ({ digest: eb.ref('excluded.digest') }))),
)
const planOfFind = rawQuery(
  () => sql<{ 'QUERY PLAN': string }>`explain select * from request_logs where realm = 1 and id = 'a'`,
)
const renameLogs = query((db) => db.updateTable('request_logs').set({ entry: 'mine' }))
const renameLog = query((db, p: Placeholder<LogKey>) =>
  db.updateTable('request_logs').set({ entry: 'mine' }).where('realm', '=', p('realm')).where('id', '=', p('id')),
)
const removeLogs = query((db) => db.deleteFrom('request_logs'))
const renameOrganizations = query((db) => db.updateTable('organizations').set({ name: 'mine' }))

function realmOf({ realms }: TenantScope): number {
  return realms[0] as number
}

function insertLog(tx: Tx, realm: number, id: string): void {
  tx.insert('request_logs', { realm, id, created: 1, entry: '{}' })
}

function insertOrganization(tx: Tx, { organization, realms: [realm = 0] }: TenantScope): void {
  const now = { created: 1, updated: 1 }
  tx.insert('organizations', {
    organization,
    name: 'A',
    plan: null,
    domains: '[]',
    service_user: 'usr_1',
    second_factor_required: 0,
    ...now,
  })
  tx.insert('audit_heads', { home: realm, organization, sequence: 0, previous_hash: '', hash: '' })
  tx.insert('realms', { realm, organization, mode: 'live' })
  tx.insert('event_heads', { realm, sequence: 0 })
  tx.insert('realms', { realm: realm + 1, organization, mode: 'test' })
  tx.insert('event_heads', { realm: realm + 1, sequence: 0 })
}

/** Appends to the logs of an organization: the row's id is the new sequence, so that a lost or repeated one collides. */
async function append(tx: Tx, scope: TenantScope): Promise<number> {
  const heads = await tx.heads(scope.organization)
  const sequence = heads.audit.sequence + 1
  heads.audit = { sequence, previous_hash: heads.audit.hash, hash: `hash ${sequence}` }
  heads.events.set(realmOf(scope), (heads.events.get(realmOf(scope)) ?? 0) + 1)
  heads.changed = true
  insertLog(tx, realmOf(scope), String(sequence).padStart(6, '0'))
  return sequence
}

onPostgresServer('A batch of several organizations on PostgreSQL', () => {
  let database: Database
  let store: Store
  let admin: pg.Client

  before(async () => {
    database = await migratedDatabase('postgres')
    store = await openStore(database.url)
    await migrate(store, 1)
    await store.write('system', async (tx) => {
      for (const scope of organizations) insertOrganization(tx, scope)
    })
    admin = new pg.Client(database.url)
    await admin.connect()
  })
  beforeEach(() => admin.query('delete from request_logs'))
  after(async () => {
    await admin.end()
    await store.close()
    await database.remove()
  })

  /** Runs the jobs in one batch: all are added in the same turn, while every lane is idle. */
  async function together<T>(jobs: readonly (readonly [TenantScope, (tx: Tx) => Promise<T>])[]) {
    return await Promise.allSettled(jobs.map(([scope, job]) => store.write(scope, job)))
  }

  it('is one commit', async () => {
    const before = store.status()
    await together(organizations.map((scope) => [scope, async (tx) => insertLog(tx, realmOf(scope), 'a')]))
    const { writes, commits } = store.status()
    assert.deepEqual([writes - before.writes, commits - before.commits], [organizations.length, 1])
    assert.equal((await store.reader('system').all(allLogs)).length, organizations.length)
  })

  it('reads a table through its index, even if the statement is planned while the table is empty', async () => {
    await admin.query('vacuum analyze request_logs')
    const [scope] = organizations as [TenantScope]
    const plan = await store.write(scope, async (tx) => await tx.all(planOfFind))
    assert.match(plan.map((row) => row['QUERY PLAN']).join(' '), /Index Scan using request_logs_pkey/)
  })

  it('shows a job no row of another organization, even if the query does not name its tenant', async () => {
    await store.write('system', async (tx) => {
      for (const scope of organizations) insertLog(tx, realmOf(scope), 'old')
    })
    const outcomes = await together(
      organizations.map((scope) => [
        scope,
        async (tx) => {
          insertLog(tx, realmOf(scope), 'new')
          return await tx.all(allLogs)
        },
      ]),
    )
    organizations.forEach((scope, i) => {
      const realm = realmOf(scope)
      assert.deepEqual(outcomes[i], {
        status: 'fulfilled',
        value: [
          { realm, id: 'new' },
          { realm, id: 'old' },
        ],
      })
    })
  })

  it('shows a job no row of another organization that it names, although that organization has just read it', async () => {
    const key = { realm: realmOf(globex), id: 'old' }
    await store.write(globex, async (tx) => insertLog(tx, key.realm, key.id))
    const outcomes = await together([
      [globex, (tx) => tx.all(findLog, key) as Promise<object[]>],
      [acme, (tx) => tx.all(findLog, key) as Promise<object[]>],
    ])
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value.length),
      [1, 0],
    )
  })

  it('shows a list only of the realm that it names, and nothing of a foreign one or of conditions that undo the realm', async () => {
    await store.write(acme, async (tx) => insertLog(tx, realmOf(acme), 'a'))
    await store.write(globex, async (tx) => insertLog(tx, realmOf(globex), 'g'))
    const job = async (tx: Tx) => [
      await tx.all(someLogs, { realm: realmOf(acme), created: 9 }),
      await tx.all(leaking, { realm: realmOf(acme) }),
    ]
    const [own, foreign] = await together([
      [acme, job],
      [globex, job],
    ])
    const rows = [{ realm: realmOf(acme), id: 'a' }]
    assert.deepEqual(own, { status: 'fulfilled', value: [rows, rows] })
    assert.deepEqual(foreign, { status: 'fulfilled', value: [[], [{ realm: realmOf(globex), id: 'g' }]] })
  })

  it('replaces rows by key for each organization, and none of a foreign one', async () => {
    for (const scope of [acme, globex]) await store.write(scope, async (tx) => insertLog(tx, realmOf(scope), 'a'))
    const replace = (scope: TenantScope) => async (tx: Tx) => tx.write(replaceById, { realm: realmOf(scope), id: 'a' })
    const outcomes = await together([
      [acme, replace(acme)],
      [globex, replace(acme)],
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    )
    const entries = await admin.query('select realm, entry from request_logs order by realm')
    assert.deepEqual(
      entries.rows.map(({ realm, entry }) => [Number(realm), entry]),
      [
        [realmOf(acme), 'replaced'],
        [realmOf(globex), '{}'],
      ],
    )
  })

  it('replaces no row of a foreign organization by a key that does not name it', async () => {
    const write = (scope: TenantScope, object: string) => async (tx: Tx) =>
      tx.write(replaceDocument, { realm: realmOf(scope), object, document: 1, digest: object })
    await store.write(globex, write(globex, 'theirs'))
    const outcomes = await together([
      [globex, async () => undefined],
      [acme, write(acme, 'mine')],
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    )
    assert.deepEqual((await admin.query('select digest from search_documents')).rows, [{ digest: 'theirs' }])
  })

  it('changes only rows of the job’s own organization', async () => {
    for (const scope of organizations) await store.write(scope, async (tx) => insertLog(tx, realmOf(scope), 'old'))
    const key = { realm: realmOf(globex), id: 'old' }
    const outcomes = await together<number>([
      [globex, async () => 0],
      [acme, async (tx) => await tx.run(renameLogs)],
      [acme, async (tx) => await tx.run(renameLog, key)],
      [acme, async (tx) => await tx.run(renameOrganizations)],
      [acme, async (tx) => await tx.run(removeLogs)],
    ])
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value),
      [0, 1, 0, 1, 1],
    )
    const { rows } = await admin.query('select distinct entry from request_logs')
    assert.deepEqual(rows, [{ entry: '{}' }])
  })

  it('refuses a row for another organization, and keeps what the others wrote', async () => {
    const outcomes = await together([
      [globex, async (tx) => insertLog(tx, realmOf(globex), 'own')],
      [acme, async (tx) => insertLog(tx, realmOf(globex), 'foreign')],
    ])
    assert.equal(outcomes[0]?.status, 'fulfilled')
    assert.match(String((outcomes[1] as PromiseRejectedResult).reason), /row-level security/)
    assert.deepEqual(await store.reader('system').all(allLogs), [{ realm: realmOf(globex), id: 'own' }])
  })

  it('reads outside transactions that are requested together find each only rows of their own organization', async () => {
    for (const scope of organizations) await store.write(scope, async (tx) => insertLog(tx, realmOf(scope), 'old'))
    const foreign = { realm: realmOf(globex), id: 'old' }
    const answers = await Promise.all(
      organizations.flatMap((scope) => {
        const reader = store.reader(scope)
        return [
          reader.all(findLog, { realm: realmOf(scope), id: 'old' }),
          reader.all(allLogs),
          reader.all(findLog, foreign),
        ]
      }),
    )
    const found = answers.map((rows) => rows.map(({ realm }) => realm))
    assert.deepEqual(
      found,
      organizations.flatMap((scope) => [[realmOf(scope)], [realmOf(scope)], scope === globex ? [realmOf(scope)] : []]),
    )
  })

  it('gives a job no heads of another organization', async () => {
    await together([[globex, (tx) => append(tx, globex)]])
    const outcomes = await together<number>([
      [globex, async (tx) => (await tx.heads(globex.organization)).audit.sequence],
      [acme, async (tx) => (await tx.heads(globex.organization)).audit.sequence],
    ])
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value),
      [1, 0],
    )
  })

  it('runs again once without the organization whose job failed after a write, which commits alone from then on', async () => {
    const runs = new Map<string, number>()
    const count = (name: string) => runs.set(name, (runs.get(name) ?? 0) + 1)
    const failing = async (tx: Tx) => {
      count('failing')
      insertLog(tx, realmOf(acme), 'failing')
      throw new Error('too late')
    }
    const others = organizations.slice(1)
    const round = (id: string) =>
      together([
        ...others.map(
          (scope) =>
            [
              scope,
              async (tx: Tx) => {
                count('others')
                insertLog(tx, realmOf(scope), id)
              },
            ] as const,
        ),
        [acme, failing] as const,
      ])
    for (const id of ['a', 'b', 'c']) {
      const outcomes = await round(id)
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        [...others.map(() => 'fulfilled'), 'rejected'],
      )
    }
    assert.equal(runs.get('others'), 4 * others.length)
    assert.equal((await store.reader('system').all(allLogs)).length, 3 * others.length)
  })

  it('does not wait for an organization that another process has locked', async () => {
    await admin.query('begin')
    await admin.query('select 1 from audit_heads where organization = $1 for update', [globex.organization])
    const locked = store.write(globex, (tx) => append(tx, globex))
    const free = organizations.slice(2).map((scope) => store.write(scope, (tx) => append(tx, scope)))
    await Promise.all(free)
    await admin.query('rollback')
    await locked
  })

  it('notifies only the realms whose logs have grown', async () => {
    const other = await openStore(database.url)
    const seen = new Set<number>()
    const { promise: last, resolve } = Promise.withResolvers<void>()
    const listening = Promise.withResolvers<void>()
    const stop = other.watch((realm) => {
      if (realm === 1000) return listening.resolve()
      seen.add(realm)
      if (realm === realmOf(globex)) resolve()
    })
    const heard = setInterval(() => void admin.query(`select pg_notify('atrium_events', '1000')`), 20)
    await listening.promise
    clearInterval(heard)
    await store.write(acme, (tx) => append(tx, acme))
    await store.write(globex, (tx) => append(tx, globex))
    await last
    assert.deepEqual([...seen], [realmOf(acme), realmOf(globex)])
    stop()
    await other.close()
  })

  it('never deadlocks, and leaves gap-free logs, whatever lanes and processes take the same organizations', async () => {
    const stores = [store, await openStore(database.url), await openStore(database.url)]
    const { rows: before } = await admin.query('select organization, sequence from audit_heads')
    const written = new Map<string, number>(before.map((row) => [row.organization, Number(row.sequence)]))
    const turns = Array.from({ length: 40 }, (_, turn) => turn)
    const works = turns.flatMap((turn) =>
      stores.map(async (each, s) => {
        // Each process begins at another organization, so that arrivals never agree on an order.
        const order = organizations.map((_, i) => organizations[(i * 5 + s * 7 + turn) % organizations.length])
        for (const scope of (turn % 2 === 0 ? order : order.reverse()) as TenantScope[]) {
          await each.write(scope, (tx) => append(tx, scope))
          written.set(scope.organization, (written.get(scope.organization) ?? 0) + 1)
          if (turn % 8 === 0) await each.rehearse(scope, (tx) => append(tx, scope))
        }
      }),
    )
    await Promise.all(works)
    const { rows } = await admin.query('select organization, sequence from audit_heads')
    assert.deepEqual(new Map(rows.map((row) => [row.organization, Number(row.sequence)])), written)
    for (const each of stores.slice(1)) await each.close()
    await admin.query('select pg_stat_force_next_flush()')
    const { rows: found } = await admin.query(
      'select deadlocks from pg_stat_database where datname = current_database()',
    )
    assert.equal(Number(found[0].deadlocks), 0)
  })
})
