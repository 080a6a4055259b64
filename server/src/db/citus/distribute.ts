/**
 * Places the tables of a PostgreSQL database with the extension Citus on its nodes. Each table is placed in a transaction of its
 * own, together with its rows, and only if it has not been placed before; an interrupted run is continued by the next.
 */
import { sql } from 'kysely'
import { is_policy_on_shards, policyOnShards } from '../postgres/row-security.ts'
import { definition, type Placeholder, rawQuery } from '../query.ts'
import { DatabaseMisconfigured, type Reader, type Store } from '../store.ts'
import { type Placement, placements } from './placements.ts'

const placed = rawQuery(
  () => sql<{
    name: string
  }>`select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where c.relnamespace = current_schema()::regnamespace`,
)

const tables = rawQuery(
  () => sql<{ name: string }>`select relname as name from pg_class where relkind = 'r'
    and relnamespace = current_schema()::regnamespace order by relname`,
)

const placedPolicies = rawQuery(
  () => sql<{ name: string; rule: string }>`select tablename as name, qual as rule from pg_policies
    join pg_dist_partition on logicalrelid = format('%I.%I', schemaname, tablename)::regclass
    where schemaname = current_schema() and policyname = 'tenant' and not (${sql.raw(is_policy_on_shards)}) order by tablename`,
)

/** Organizations whose realms lie on different shards, because an earlier version numbered them. */
const realmsApart = rawQuery(
  () => sql<{ organization: string }>`select live.organization as organization from realms live
    join realms test on test.organization = live.organization and test.mode = 'test'
    where live.mode = 'live' and (hashint8(live.realm) <> hashint8(test.realm) or live.realm >= 4294967296)
    order by live.organization`,
)

/**
 * Places the tables that are not placed yet, and returns their names; changes nothing in a database without the extension.
 * Rejects with DatabaseMisconfigured, before it has changed anything, if a table has no placement or an organization's realms
 * do not lie on the same shard.
 */
export async function distribute(store: Store): Promise<string[]> {
  if (!store.isDistributed) return []
  const reader = store.reader('system')
  const left = await unplacedTables(reader)
  requirePlacements(left)
  await requirePairs(reader)
  // The first table by realm sets the shards of all others.
  const order = ['event_heads', ...left.filter((name) => name !== 'event_heads')].filter((name) => left.includes(name))
  for (const name of order) await place(store, name, placements[name] as Placement)
  await updatePolicies(store)
  return order
}

/** Tables that an earlier version placed have policies that hide rows from sessions without settings. */
async function updatePolicies(store: Store): Promise<void> {
  for (const { name, rule } of await store.reader('system').all(placedPolicies))
    await store.migrate(async (tx) => tx.write(definition(`alter policy tenant on ${name} ${policyOnShards(rule)}`)))
}

function requirePlacements(names: readonly string[]): void {
  const unknown = names.filter((name) => placements[name] === undefined)
  if (unknown.length === 0) return
  throw new DatabaseMisconfigured(
    `The database has tables that are not Atrium's: ${unknown.join(', ')}. On Citus, every table of the schema needs a placement.`,
  )
}

/** Both realms of every organization lie on the same shard. */
async function requirePairs(reader: Reader): Promise<void> {
  const apart = await reader.all(realmsApart)
  const first = apart[0]
  if (first === undefined) return
  throw new DatabaseMisconfigured(
    `The realms of ${apart.length} organizations (first: ${first.organization}) were numbered by a version before 0024_shards, so Citus would keep their live and test data on different nodes. Such organizations cannot be moved to Citus.`,
  )
}

/** Tables that wait for the next `distribute`. */
export async function unplacedTables(reader: Reader): Promise<string[]> {
  const known = new Set((await reader.all(placed)).map(({ name }) => name))
  const names = (await reader.all(tables)).map(({ name }) => name)
  return names.filter((name) => !known.has(name) && placements[name]?.by !== 'coordinator')
}

const settings_of_nodes = `select json_build_object('fsync', current_setting('fsync'),
  'synchronous_commit', current_setting('synchronous_commit'), 'full_page_writes', current_setting('full_page_writes'),
  'max_prepared_transactions', current_setting('max_prepared_transactions'))`

const nodes = rawQuery(
  () => sql<{ name: string; active: boolean; answer: string | null }>`select nodename || ':' || nodeport as name,
    isactive as active, case when success then result end as answer from pg_dist_node as node
    left join run_command_on_all_nodes(${sql.lit(settings_of_nodes)}, give_warning_for_connection_errors => true) as each
      on each.nodeid = node.nodeid
    where noderole = 'primary' order by groupid`,
)

export interface ClusterNode {
  /** Host and port. */
  readonly name: string
  /** Whether Citus uses it. */
  readonly active: boolean
  /** What durability depends on, by the names of PostgreSQL; null if the node does not answer. */
  readonly settings: Readonly<Record<string, string>> | null
}

/** The primary nodes, the coordinator first. */
export async function clusterNodes(reader: Reader): Promise<ClusterNode[]> {
  const rows = await reader.all(nodes)
  return rows.map(({ name, active, answer }) => ({
    name,
    active,
    settings: answer === null ? null : JSON.parse(answer),
  }))
}

async function place(store: Store, name: string, placement: Placement): Promise<void> {
  await store.migrate(async (tx) => {
    // Another process may have placed it while this one waited.
    if ((await tx.all(placed)).some((table) => table.name === name)) return
    const policy = await tx.first(policyOf, { name })
    if (policy !== undefined) {
      tx.write(definition(`alter policy tenant on ${name} ${policyOnShards(policy.rule)}`))
    }
    if (placement.by === 'realm') for (const text of placement.keys ?? []) tx.write(definition(text))
    // Citus copies existing rows with COPY, which PostgreSQL refuses under row-level security.
    if (policy !== undefined) tx.write(definition(`alter table ${name} disable row level security`))
    tx.write(definition(placing(name, placement)))
    if (policy !== undefined) tx.write(definition(`alter table ${name} enable row level security`))
  })
}

const policyOf = rawQuery(
  (p: Placeholder<{ name: string }>) => sql<{ rule: string }>`select qual as rule from pg_policies
    where schemaname = current_schema() and tablename = ${p('name')} and policyname = 'tenant'`,
)

function placing(name: string, placement: Placement): string {
  switch (placement.by) {
    case 'copies':
      return `select create_reference_table('${name}')`
    case 'organization':
      return `select create_distributed_table('${name}', '${placement.column}', colocate_with => 'none')`
    case 'realm': {
      const with_ = name === 'event_heads' ? 'none' : 'event_heads'
      return `select create_distributed_table('${name}', '${placement.column}', colocate_with => '${with_}')`
    }
    case 'coordinator':
      throw new Error(`${name} stays on the coordinator`)
  }
}
