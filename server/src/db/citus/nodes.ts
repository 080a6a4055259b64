/**
 * The nodes of a cluster that this process reaches without the coordinator. Addresses and placements come from Citus' own
 * catalogue and are read again at intervals, and as soon as a statement finds that its rows are elsewhere: it then runs through
 * the coordinator, which always knows. A session on a node that holds no such rows gets an error instead of no rows
 * (`postgres/row-security.ts`).
 */
import { sql } from 'kysely'
import { db_limits } from '../limits.ts'
import type { Address } from '../postgres/client.ts'
import { isConnectionLost, isElsewhere, isFull } from '../postgres/errors.ts'
import type { Watchers } from '../postgres/listener.ts'
import type { ReadRows } from '../postgres/reads.ts'
import type { Visible } from '../postgres/row-security.ts'
import { type AnyQuery, rawQuery } from '../query.ts'
import { type NodeStatus, StoreUnavailable, type TenantScope } from '../store.ts'
import { identity, ShardNode } from './node.ts'
import { placements } from './placements.ts'
import { type Shard, ShardMap } from './shard-map.ts'

interface Placed {
  readonly host: string
  readonly port: number
  readonly group: number
  /** Null for a node without shards. */
  readonly low: number | null
  readonly high: number | null
}

/** The nodes that can run statements of their own, each with its shards. The tables by realm all lie as this one does. */
const readPlacements = rawQuery(
  () => sql<Placed>`select nodename as host, nodeport as port, node.groupid as "group",
      shardminvalue::int as low, shardmaxvalue::int as high
    from pg_dist_node as node
    left join (pg_dist_placement as placement join pg_dist_shard as shard
        on shard.shardid = placement.shardid and shard.logicalrelid = to_regclass('event_heads'))
      on placement.groupid = node.groupid
    where noderole = 'primary' and isactive and hasmetadata and metadatasynced order by node.groupid, low`,
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
  private map = new ShardMap([])
  private refreshing: Promise<void> | null = null
  private timer: NodeJS.Timeout | null = null
  private listens = false
  private closed = false

  /** Connects to nothing before the first use. `coordinator` reads from the coordinator, which is at `address`. */
  constructor(address: Address, coordinator: ReadRows, watchers: Watchers) {
    this.address = address
    this.coordinator = coordinator
    this.watchers = watchers
  }

  /** Reads through the node that holds the rows, or through the coordinator. */
  readonly rows: ReadRows = (visible, query, values) => {
    const node = isOnShards(query) ? this.ofAll(visible) : null
    if (node === null) return this.coordinator(visible, query, values)
    return node.rows(visible, query, values).catch((error: unknown) => {
      if (!this.leaves(node, error)) throw error
      return this.coordinator(visible, query, values)
    })
  }

  /** The node with the rows of one organization, if it can be used now. */
  of(visible: Visible): ShardNode | null {
    const [scope, other] = scopesOf(visible)
    return scope === undefined || other !== undefined ? null : this.ofOne(scope)
  }

  /** The node with the rows of all these organizations, if there is one and it can be used now. */
  private ofAll(visible: Visible): ShardNode | null {
    const [first, ...others] = scopesOf(visible)
    const node = first === undefined ? null : this.ofOne(first)
    return others.every((scope) => this.ofOne(scope) === node) ? node : null
  }

  /** Reads of organizations with the same name can be sent together. */
  readonly nameOf = (scope: TenantScope): string | null => this.ofOne(scope)?.name ?? null

  private ofOne({ realms: [realm] }: TenantScope): ShardNode | null {
    if (realm === undefined) return null
    this.start()
    const node = this.nodes.get(this.map.nodeOf(realm) ?? '')
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
    this.map = new ShardMap(others.flatMap(toShard))
    for (const [name, node] of this.nodes) {
      if (known.has(name)) continue
      this.nodes.delete(name)
      void node.close().catch(() => {})
    }
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
    await Promise.all([...this.nodes.values()].map((node) => node.close()))
  }
}

function scopesOf(visible: Visible): readonly TenantScope[] {
  if (typeof visible === 'string') return []
  return 'organization' in visible ? [visible] : visible
}

function nameOf({ host, port }: Placed): string {
  return `${host}:${port}`
}

function toShard(row: Placed): Shard[] {
  const { low, high } = row
  return low === null || high === null ? [] : [{ low, high, node: nameOf(row) }]
}

/** The same role, password, database and parameters at another server. */
export function leadTo(connectionString: string, host: string, port: number): string {
  const url = new URL(connectionString)
  url.hostname = host.includes(':') ? `[${host}]` : host
  url.port = String(port)
  for (const name of ['host', 'port']) url.searchParams.delete(name)
  return url.href
}

const on_shards = new WeakMap<AnyQuery, boolean>()

/**
 * Whether a query reads tables by realm, and copies at most beside them. What reads only copies is answered by the
 * coordinator, which has every acknowledged change of them even while a node recovers from a crash.
 */
function isOnShards(query: AnyQuery): boolean {
  let known = on_shards.get(query)
  if (known === undefined) {
    const { sql: text } = query.statement('postgres')
    const kinds = new Set([...text.matchAll(/\w+/g)].map(([word]) => placements[word]?.by))
    known = kinds.has('realm') && !kinds.has('organization') && !kinds.has('coordinator')
    on_shards.set(query, known)
  }
  return known
}
