/** Backups of a Citus cluster: one moment of all nodes, while organizations write and shards move. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { type Manifest, writeBackup } from '../../src/db/backup/backup.ts'
import { restoreBackup } from '../../src/db/backup/restore.ts'
import { openStore } from '../../src/db/open.ts'
import { type Placeholder, query, rawQuery } from '../../src/db/query.ts'
import { type Moment, type Store, StoreUnavailable, type TableRow, type TenantScope } from '../../src/db/store.ts'
import { HandClock } from '../../src/lib/clock.ts'
import { foundOrganization } from '../../src/resources/organizations/found.ts'
import { citus_url, type Database } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'

const about = { created: 1, secret_key: 'k' }
const founding = { name: 'Acme', ownerEmail: 'ada@acme.example', plan: 'studio', domains: [] } as const
const moments = 60

const setTitle = query((db, p: Placeholder<{ realm: number; title: string }>) =>
  db
    .updateTable('workspaces')
    .set({ title: p('title') })
    .where('realm', '=', p('realm')),
)

const groupOf = rawQuery(
  (p: Placeholder<{ realm: number }>) => sql<{ group: number }>`select groupid as "group" from pg_dist_placement
    where shardid = get_shard_id_for_distribution_column('event_heads', ${p('realm')}::bigint)`,
)

interface Organization {
  readonly scope: TenantScope
  readonly realm: number
  readonly node: number
}

interface Cluster extends AsyncDisposable {
  readonly store: Store
  readonly database: Database
  /** On different nodes, with a workspace each. */
  readonly one: Organization
  readonly other: Organization
}

async function found(store: Store): Promise<Organization> {
  const { organization, realms } = await foundOrganization({ store, clock: new HandClock(1) }, founding)
  const realm = realms.live
  await store.write('system', async (tx) =>
    tx.insert('workspaces', {
      ...{ realm, id: `wsp_${realm}`, created: 1, updated: 1, revision: 1, deleted_at: null },
      ...{ title: '0', key: 'AA', status: 'active', default_currency: 'EUR', last_number: 0 },
    }),
  )
  const node = (await store.reader('system').first(groupOf, { realm }))?.group ?? 0
  return { scope: { organization, realms: [realm] }, realm, node }
}

async function openCluster(): Promise<Cluster> {
  const database = await migratedDatabase('postgres')
  const store = await openStore(database.url, { direct: null, nodes: true })
  const one = await found(store)
  let other = await found(store)
  while (other.node === one.node) other = await found(store)
  const end = async () => {
    await store.close()
    await database.remove()
  }
  return { store, database, one, other, [Symbol.asyncDispose]: end }
}

function onCluster(title: string, test: (cluster: Cluster) => Promise<void>): void {
  it(title, async (context: TestContext) => {
    if (citus_url === null) return context.diagnostic('not tried: ATRIUM_TEST_CITUS_URL is not set')
    await using cluster = await openCluster()
    await test(cluster)
  })
}

async function rowsOf(moment: Moment, table: string, key: readonly string[]): Promise<TableRow[]> {
  const rows: TableRow[] = []
  for await (const page of moment.pages(table, key)) rows.push(...page)
  return rows
}

const waitingLocks = `select coalesce(sum(result::int), 0)::int as count from run_command_on_all_nodes(
  'select count(*) from pg_locks where not granted and mode = ''ExclusiveLock''')`

/** Whether a backup waits for the writes that have begun. */
async function waitsForPause(client: pg.Client): Promise<boolean> {
  return (await client.query(waitingLocks)).rows[0].count > 0
}

/** Writes numbers to both, each to the other only after it was acknowledged to the first. */
class Alternating {
  private readonly cluster: Cluster
  private going = true
  private readonly running: Promise<void>

  constructor(cluster: Cluster) {
    this.cluster = cluster
    this.running = this.run()
  }

  private async run(): Promise<void> {
    const { store, one, other } = this.cluster
    for (let number = 1; this.going; number++)
      for (const { scope, realm } of [one, other])
        await store.write(scope, async (tx) => tx.write(setTitle, { realm, title: String(number) }))
  }

  async stop(): Promise<void> {
    this.going = false
    await this.running
  }
}

describe('A backup of a Citus cluster', () => {
  onCluster('has nothing of one node without what was acknowledged before it on another', async (cluster) => {
    const { store, one, other } = cluster
    const writes = new Alternating(cluster)
    const seen: [number, number][] = []
    for (let i = 0; i < moments; i++)
      await store.moment(async (moment) => {
        const rows = await rowsOf(moment, 'workspaces', ['realm', 'id'])
        const titleOf = ({ realm }: Organization) => Number(rows.find((row) => row.realm === realm)?.title)
        seen.push([titleOf(one), titleOf(other)])
      })
    await writes.stop()
    for (const [first, second] of seen)
      assert.ok(first === second || first === second + 1, `${first} on one node, ${second} on the other`)
    assert.ok(seen.some(([first]) => first > 0))
  })

  onCluster('waits for a write that takes long, and lets others write meanwhile', async (cluster) => {
    const { store, database, one, other } = cluster
    const client = new pg.Client(database.url)
    await client.connect()
    await client.query('begin')
    const heads = `select sequence from audit_heads where home = ${one.realm} and organization = '${one.scope.organization}'`
    assert.equal((await client.query(`${heads} for update`)).rowCount, 1)
    const reading = store.moment((moment) => rowsOf(moment, 'workspaces', ['realm', 'id']))
    let isRead = false
    const read = reading.finally(() => {
      isRead = true
    })
    read.catch(() => {})
    while (!isRead && !(await waitsForPause(client))) await new Promise(setImmediate)
    assert.equal(isRead, false)
    for (const title of ['1', '2', '3'])
      await store.write(other.scope, async (tx) => tx.write(setTitle, { realm: other.realm, title }))
    await client.query('rollback')
    await client.end()
    const rows = await read
    assert.equal(rows.find(({ realm }) => realm === other.realm)?.title, '3')
  })

  onCluster('has the rows of all shards in the order of one server, and can be restored there', async (cluster) => {
    const { store, database } = cluster
    const path = join(database.folder, 'cluster.gz')
    const written = await writeBackup(store, path, about)
    const single = await openStore(`file:${join(database.folder, 'single.db')}`)
    try {
      await restoreBackup(single, path, 2)
      const again = await writeBackup(single, join(database.folder, 'single.gz'), about)
      assert.deepEqual(sumsOf(again), sumsOf(written))
      assert.ok((written.tables.workspaces?.rows ?? 0) >= 2)
    } finally {
      await single.close()
    }
  })

  onCluster('fails, and can be repeated, if a shard moves while it is read', async ({ store, database, one }) => {
    const reading = store.moment(async (moment) => {
      await moveAway(database.url, one.realm)
      return await rowsOf(moment, 'workspaces', ['realm', 'id'])
    })
    await assert.rejects(reading, (error) => {
      return error instanceof StoreUnavailable && error.message === 'a shard was moved while it was read'
    })
    const rows = await store.moment((moment) => rowsOf(moment, 'workspaces', ['realm', 'id']))
    assert.ok(rows.some(({ realm }) => realm === one.realm))
  })
})

/** The rows and hashes of tables that hold what tenants wrote. */
function sumsOf({ tables }: Manifest) {
  return Object.entries(tables).filter(([name, { rows }]) => rows > 0 && name !== 'workers')
}

/** Moves the shard of a realm to another node, and removes what it leaves behind. */
async function moveAway(url: string, realm: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(
      `select citus_move_shard_placement(shardid, nodename, nodeport, target.host, target.port, 'block_writes')
       from pg_dist_placement join pg_dist_node using (groupid),
         lateral (select nodename as host, nodeport as port from pg_dist_node as node
           where node.groupid not in (0, pg_dist_placement.groupid) limit 1) as target
       where shardid = get_shard_id_for_distribution_column('event_heads', ${realm})`,
    )
    await client.query('call citus_cleanup_orphaned_resources()')
  } finally {
    await client.end()
  }
}
