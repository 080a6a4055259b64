/**
 * The nodes of a cluster that this process reaches without the coordinator. Addresses and placements come from Citus' own
 * catalogue and are read again at intervals, and as soon as a statement finds that its rows are elsewhere: it then runs through
 * the coordinator, which always knows. A session on a node that holds no such rows gets an error instead of no rows
 * (`postgres/row-security.ts`).
 */
import { sql } from 'kysely'
import { db_limits } from '../limits.ts'
import type { Address } from '../postgres/client.ts'
import { isConnectionLost, isElsewhere, isFull, RowsElsewhere } from '../postgres/errors.ts'
import { isJoined } from '../postgres/joined.ts'
import type { Watchers } from '../postgres/listener.ts'
import { type Place, PostgresSessions, type ReadRows } from '../postgres/reads.ts'
import type { Visible } from '../postgres/row-security.ts'
import { type AnyQuery, rawQuery } from '../query.ts'
import { type NodeStatus, type Scope, StoreUnavailable, type TenantScope } from '../store.ts'
import { identity, ShardNode } from './node.ts'
import { OnNode, scopesOf } from './on-node.ts'
import { placements } from './placements.ts'
import { type Shard, ShardMap } from './shard-map.ts'
import { ShardTables } from './shard-tables.ts'

interface Placed {
  readonly host: string
  readonly port: number
  readonly group: number
  /** Null for a node without shards. */
  readonly low: number | null
  readonly high: number | null
  readonly shard: number | null
  /** The shard of `realms` if the coordinator has copies. */
  readonly copies: number | null
  /** Changes with the shards of any table. */
  readonly version: string
}

/** The shards of tables that lie alike. */
interface Alike {
  /** Null for the copies. */
  readonly shard: number | null
  /** By table, as JSON. */
  readonly tables: string
}

/** The nodes that can run statements of their own, each with its shards. The tables by realm all lie as this one does. */
const readPlacements = rawQuery(
  () => sql<Placed>`select nodename as host, nodeport as port, node.groupid as "group",
      shardminvalue::int as low, shardmaxvalue::int as high, shard.shardid as shard,
      (select copy.shardid from pg_dist_placement as own join pg_dist_shard as copy using (shardid)
        where copy.logicalrelid = to_regclass('realms') and own.groupid = 0) as copies,
      (select count(*) || ' ' || max(shardid) from pg_dist_shard) as version
    from pg_dist_node as node
    left join (pg_dist_placement as placement join pg_dist_shard as shard
        on shard.shardid = placement.shardid and shard.logicalrelid = to_regclass('event_heads'))
      on placement.groupid = node.groupid
    where noderole = 'primary' and isactive and hasmetadata and metadatasynced order by node.groupid, low`,
)

const readShards = rawQuery(
  () => sql<Alike>`select min(shardid) filter (where logicalrelid = to_regclass('event_heads')) as shard,
      json_object_agg(relname, shardid)::text as tables
    from pg_dist_shard join pg_dist_partition using (logicalrelid) join pg_class on pg_class.oid = logicalrelid
    where (partmethod = 'n' and repmodel = 't')
      or colocationid = (select colocationid from pg_dist_partition where logicalrelid = to_regclass('event_heads'))
    group by shardminvalue, shardmaxvalue`,
)

/** A server and the database in it, of each node that answers. */
export const readIdentities = rawQuery(
  () => sql<{ name: string; identity: string }>`select nodename || ':' || nodeport as name, result as identity
    from run_command_on_all_nodes(${sql.lit(identity)}, give_warning_for_connection_errors => true) as each
    join pg_dist_node as node on node.nodeid = each.nodeid where success`,
)

export class ClusterNodes {
  private readonly address: Address
  private readonly coordinator: ReadRows
  private readonly watchers: Watchers
  private readonly nodes = new Map<string, ShardNode>()
  /** Sessions on the coordinator that read its copies by the names of their shards. */
  private readonly copyReads: PostgresSessions
  private map = new ShardMap([])
  private last: { readonly visible: Visible; readonly map: ShardMap; readonly at: OnNode } | null = null
  private tables: TablesOfShards = { version: '', copies: null, byShard: new Map(), known: new Map() }
  private refreshing: Promise<void> | null = null
  private timer: NodeJS.Timeout | null = null
  private listens = false
  private closed = false

  /** Connects to nothing before the first use. `coordinator` reads from the coordinator, which is at `address`. */
  constructor(address: Address, coordinator: ReadRows, watchers: Watchers) {
    this.address = address
    this.coordinator = coordinator
    this.watchers = watchers
    this.copyReads = new PostgresSessions({ ...address, holdsRows: true })
  }

  /** Reads shards by name, on the node that holds them, or copies on the coordinator; all else through Citus. */
  readonly rows: ReadRows = async (visible, query, values, of = null) => {
    const kind = kindOf(query)
    if (kind === 'shards') {
      const at = this.of(visible)
      const tables = at?.tablesOf(of ?? visible) ?? null
      if (at !== null && tables?.statement(query)) {
        try {
          return await at.node.rows({ tables, all: at.shards }, visible, query, values)
        } catch (error) {
          if (!this.leaves(at.node, error)) throw error
        }
      }
    } else if (kind === 'copies') {
      this.start()
      const tables = this.tables.copies
      if (tables?.statement(query)) {
        try {
          return await this.copyReads.rowsOn({ tables, all: [tables] }, visible, query, values)
        } catch (error) {
          if (!isElsewhere(error)) throw error
          void this.refresh()
        }
      }
    }
    // The look-ups are read one by one: each must lead to one shard.
    if (isJoined(query)) throw new RowsElsewhere('the rows of several reads have moved')
    return await this.coordinator(visible, query, values)
  }

  /** Look-ups may be joined where shards are named. Where that fails, they are read one by one. */
  readonly joins = (scope: Scope, query: AnyQuery): boolean =>
    kindOf(query) === 'copies' ? this.tables.copies !== null : scope !== 'system' && this.of(scope) !== null

  /** The node with the rows of all these organizations, and their shards, if there is one and it can be used now. */
  of(visible: Visible): OnNode | null {
    const { last, map } = this
    // The statements of a turn ask for the same.
    if (last !== null && last.visible === visible && last.map === map && last.at.node.isReady) return last.at
    const at = this.find(visible)
    this.last = at === null ? null : { visible, map, at }
    return at
  }

  private find(visible: Visible): OnNode | null {
    const scopes = scopesOf(visible)
    const shards = new Map<string, ShardTables>()
    let found: ShardNode | null = null
    for (const { organization, realms } of scopes) {
      const shard = this.shardOf(realms)
      const node = shard === null ? null : this.readyNode(shard)
      if (shard === null || node === null || (found !== null && found !== node)) return null
      found = node
      shards.set(organization, shard.tables)
    }
    return found === null ? null : new OnNode(found, shards)
  }

  /** Reads of organizations on the same server share settings. */
  readonly placeOf = ({ realms }: TenantScope): Place | null => {
    const shard = this.shardOf(realms)
    if (shard === null || this.readyNode(shard) === null) return null
    return { server: shard.node, part: String(shard.tables.shard) }
  }

  private shardOf([realm]: readonly number[]): Shard | null {
    this.start()
    return realm === undefined ? null : this.map.of(realm)
  }

  private readyNode(shard: Shard): ShardNode | null {
    const node = this.nodes.get(shard.node)
    return node?.isReady === true ? node : null
  }

  /** Notes what an error says about a node. Whether what was sent there, and changed nothing, is repeated through the coordinator. */
  leaves(node: ShardNode, error: unknown): boolean {
    const cause = error instanceof StoreUnavailable ? (error.cause ?? error) : error
    if (isElsewhere(cause)) void this.refresh()
    else if (isConnectionLost(cause) || isFull(cause)) node.rest(cause)
    else return false
    return true
  }

  /** Listens on every node for the commits of all processes. */
  listen(): void {
    this.listens = true
    this.start()
    for (const node of this.nodes.values()) node.listen()
  }

  private start(): void {
    if (this.timer === null && this.refreshing === null) void this.refresh()
  }

  /** Never rejects. */
  refresh(): Promise<void> {
    if (this.closed) return Promise.resolve()
    this.refreshing ??= this.read()
      .catch(() => {
        // The coordinator does not answer. What is known stays in use.
      })
      .finally(() => {
        this.refreshing = null
        if (this.timer !== null) clearTimeout(this.timer)
        this.timer = setTimeout(() => void this.refresh(), db_limits.node_refresh_ms)
        this.timer.unref()
      })
    return this.refreshing
  }

  private async read(): Promise<void> {
    const rows = (await this.coordinator('system', readPlacements, {})) as Placed[]
    if (this.closed) return
    // The process has its connections to the coordinator anyway; what is placed there is read through them.
    const others = rows.filter(({ group }) => group !== 0)
    const known = new Map(others.map((row) => [nameOf(row), row]))
    for (const [name, row] of [...known].slice(0, db_limits.nodes_max)) if (!this.nodes.has(name)) this.add(name, row)
    await this.readTables(rows)
    this.map = new ShardMap(others.flatMap((row) => this.toShard(row)))
    for (const [name, node] of this.nodes) {
      if (known.has(name)) continue
      this.nodes.delete(name)
      void node.close().catch(() => {})
    }
  }

  /** The shards of all tables are read again only after they have changed. */
  private async readTables([first]: readonly Placed[]): Promise<void> {
    if (first === undefined || first.version === this.tables.version) return
    const found = (await this.coordinator('system', readShards, {})) as Alike[]
    const copied: Readonly<Record<string, number>> = JSON.parse(
      found.find(({ shard }) => shard === null)?.tables ?? '{}',
    )
    const byShard = new Map<number, Readonly<Record<string, number>>>()
    for (const { shard, tables } of found) if (shard !== null) byShard.set(shard, { ...copied, ...JSON.parse(tables) })
    const copies = first.copies === null ? null : new ShardTables(first.copies, 0, copied)
    this.tables = { version: first.version, copies, byShard, known: new Map() }
  }

  /** A shard without known tables is not used. */
  private toShard(row: Placed): Shard[] {
    const { low, high, shard, group } = row
    const tables = shard === null ? undefined : this.tables.byShard.get(shard)
    if (low === null || high === null || shard === null || tables === undefined) return []
    const key = `${shard} ${group}`
    const known = this.tables.known.get(key) ?? new ShardTables(shard, group, tables)
    this.tables.known.set(key, known)
    return [{ low, high, node: nameOf(row), tables: known }]
  }

  private add(name: string, { host, port }: Placed): void {
    const { config, ...rest } = this.address
    const connectionString = leadTo(config.connectionString as string, host, port)
    const address = { ...rest, config: { ...config, connectionString }, holdsRows: true }
    const node = new ShardNode(name, address, (asked) => this.identityOf(asked), this.watchers)
    if (this.listens) node.listen()
    this.nodes.set(name, node)
  }

  private async identityOf(name: string): Promise<string | null> {
    const rows = (await this.coordinator('system', readIdentities, {})) as { name: string; identity: string }[]
    return rows.find((row) => row.name === name)?.identity ?? null
  }

  /** Waits for the first probe of each node. */
  async status(): Promise<NodeStatus[]> {
    await this.refresh()
    const nodes = [...this.nodes.values()]
    await Promise.all(nodes.map(({ examined }) => examined))
    return nodes.map((node) => node.status())
  }

  async close(): Promise<void> {
    this.closed = true
    await this.refreshing
    if (this.timer !== null) clearTimeout(this.timer)
    await Promise.all([this.copyReads.close(), ...[...this.nodes.values()].map((node) => node.close())])
  }
}

interface TablesOfShards {
  readonly version: string
  /** On the coordinator; null if it has none. */
  readonly copies: ShardTables | null
  readonly byShard: ReadonlyMap<number, Readonly<Record<string, number>>>
  /** By shard and node, so that their statements are kept. */
  readonly known: Map<string, ShardTables>
}

function nameOf({ host, port }: Placed): string {
  return `${host}:${port}`
}

/** The same role, password, database and parameters at another server. */
export function leadTo(connectionString: string, host: string, port: number): string {
  const url = new URL(connectionString)
  url.hostname = host.includes(':') ? `[${host}]` : host
  url.port = String(port)
  for (const name of ['host', 'port']) url.searchParams.delete(name)
  return url.href
}

type Kind = 'shards' | 'copies' | 'other'

const kinds_of_queries = new WeakMap<AnyQuery, Kind>()

/**
 * Whether a query reads tables by realm, and copies at most beside them, or copies alone. What reads only copies is answered by
 * the coordinator, which has every acknowledged change of them even while a node recovers from a crash.
 */
function kindOf(query: AnyQuery): Kind {
  let known = kinds_of_queries.get(query)
  if (known === undefined) {
    const { sql: text } = query.statement('postgres')
    const kinds = new Set([...text.matchAll(/\w+/g)].map(([word]) => placements[word]?.by))
    if (kinds.has('organization') || kinds.has('coordinator')) known = 'other'
    else known = kinds.has('realm') ? 'shards' : kinds.has('copies') ? 'copies' : 'other'
    kinds_of_queries.set(query, known)
  }
  return known
}
