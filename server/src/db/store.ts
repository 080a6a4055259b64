/**
 * The database as the rest of the program sees it: a reader, and a committer that makes the changes of many requests
 * durable together. Invariants: `write` settles only after the commit is on disk; a failed job leaves nothing; jobs of
 * one organization run one after the other, so that a job sees everything committed before it.
 */
import type { Dialect } from './dialect.ts'
import type { AnyQuery, MaybePromise, Query, Values } from './query.ts'
import type { Schema, TableName } from './schema.ts'

/**
 * The rows that a session may see: of an organization with one or both of its realms, or all (the system's own work).
 */
export type TenantScope = { readonly organization: string; readonly realms: readonly number[] }
export type Scope = TenantScope | 'system'

export interface Reader {
  readonly dialect: Dialect
  all<R>(query: Query<R>): MaybePromise<R[]>
  all<R, V extends Values>(query: Query<R, V>, values: NoInfer<V>): MaybePromise<R[]>
  first<R>(query: Query<R>): MaybePromise<R | undefined>
  first<R, V extends Values>(query: Query<R, V>, values: NoInfer<V>): MaybePromise<R | undefined>
}

/** A row of any table, with the columns that the database has. */
export type TableRow = Readonly<Record<string, string | number | null>>

/** Everything in the database at one moment. */
export interface Moment {
  /** On Citus only for what lies on the coordinator. */
  readonly reader: Reader
  /** All rows of a table in pages, in the order of its key. */
  pages(table: string, key: readonly string[]): AsyncIterable<readonly TableRow[]>
}

/** The ends of an organization's logs, locked from the first read until the commit. */
export interface Heads {
  audit: { sequence: number; previous_hash: string; hash: string }
  /** Last event sequence by realm. */
  readonly events: Map<number, number>
  changed: boolean
}

/** One job's view of the open transaction. */
export interface Tx extends Reader {
  /** True once the job has written anything. */
  readonly dirty: boolean
  /** Writes without waiting: a failure fails the job, at the latest before its commit; later reads see the effect. */
  write(query: Query<unknown>): void
  write<V extends Values>(query: Query<unknown, V>, values: NoInfer<V>): void
  /** Writes, and returns the number of changed rows. */
  run(query: Query<unknown>): MaybePromise<number>
  run<V extends Values>(query: Query<unknown, V>, values: NoInfer<V>): MaybePromise<number>
  insert<T extends TableName>(table: T, row: Schema[T]): void
  heads(organization: string): MaybePromise<Heads>
}

export type Job<T> = (tx: Tx) => Promise<T>

/** What a job for several organizations sees of one of them. */
export type ViewOf = (scope: TenantScope) => Tx

export interface WriteOptions {
  /**
   * The job first looks for the record of an earlier run of itself. It may therefore run again if the outcome of a
   * commit was lost with the connection; any other job is refused in that case.
   */
  readonly recorded?: boolean
  /**
   * Requests rows by key that the job will certainly read. Engines behind a network send this for all jobs of a batch at
   * once, before the first; its result and errors are ignored.
   */
  readonly ahead?: (reader: Reader) => Promise<unknown>
}

/** A statement with its values. */
export interface Bound {
  readonly query: AnyQuery
  readonly values: Values
}

/** The processes that hold leases in a database. */
export interface Processes {
  /** The name of this process. From the first call on, other processes see that it runs. */
  own(): string
  /**
   * Those of `names` that have ended. A process whose end the engine cannot see counts as running. On PostgreSQL a process
   * without a connection gets some seconds to return.
   */
  ended(names: readonly string[]): Promise<string[]>
  /** The number of other processes that run: on PostgreSQL all with a connection, on SQLite those that have registered. */
  others(): Promise<number>
}

/** Figures since the process started. */
export interface StoreStatus {
  /** Jobs carried out, and the commits that they shared. */
  readonly writes: number
  readonly commits: number
  /** Jobs that wait now. */
  readonly waiting: number
}

/** A read replica, as this process knows it. */
export interface ReplicaStatus {
  /** Host and database. */
  readonly name: string
  /** Whether reads are sent to it. */
  readonly ready: boolean
  /** How far its log is behind the primary's; null if unknown. */
  readonly behind_bytes: number | null
  /** Why it cannot be used, in words. */
  readonly fault: string | null
  /** Reads that it has answered, and that it has left to the primary. */
  readonly served: number
  readonly passed_on: number
}

/** A node of a cluster to which this process connects without the coordinator. */
export interface NodeStatus {
  /** Host and port. */
  readonly name: string
  /** Whether statements about its rows are sent to it. */
  readonly ready: boolean
  /** Why they go through the coordinator instead, in words. */
  readonly fault: string | null
}

/** What opening the database found, for the log. */
export interface Finding {
  readonly level: 'warn' | 'error'
  readonly message: string
  readonly details: object
}

export interface Store {
  readonly dialect: Dialect
  /** Rows of different organizations may lie on different nodes (Citus): no statement should concern several of them. */
  readonly isDistributed: boolean
  readonly findings: readonly Finding[]
  readonly processes: Processes
  reader(scope: Scope): Reader
  /**
   * Like `reader`; a replica may answer. Each read sees everything whose commit was acknowledged, by any process, before
   * the read was requested.
   */
  replicaReader(scope: Scope): Reader
  /** Runs reads on one snapshot, so that they agree with each other. */
  snapshot<T>(scope: Scope, read: (reader: Reader) => Promise<T>): Promise<T>
  /**
   * Runs reads of everything at one moment, as the system; on Citus of all nodes. Rejects with StoreUnavailable if a node cannot
   * be reached, writes do not pause in time, or a shard moves meanwhile.
   */
  moment<T>(read: (moment: Moment) => Promise<T>): Promise<T>
  /**
   * Like `snapshot`; a replica may answer, which sees everything acknowledged before the call. Rejects with
   * StoreUnavailable if the replica ends the snapshot: the caller then repeats it with `snapshot`.
   */
  replicaSnapshot<T>(scope: Scope, read: (reader: Reader) => Promise<T>): Promise<T>
  /** The state of each replica; takes a moment. */
  replicaStatus(): Promise<readonly ReplicaStatus[]>
  /** The state of each node of a cluster; takes a moment. */
  nodeStatus(): Promise<readonly NodeStatus[]>
  /** Rejects with StoreUnavailable if the queue is full, the engine is unreachable, or the commit is uncertain. */
  write<T>(scope: Scope, job: Job<T>, options?: WriteOptions): Promise<T>
  /** Names the server of an organization's rows: jobs for several organizations of one server can share a transaction. Null if none can. */
  serverOf(scope: TenantScope): string | null
  /**
   * Runs a job for several organizations in a transaction of its own, which sees rows of these only; each statement is given the
   * organization that it concerns. No organization is locked: for derived data whose writers take turns by themselves. Reads that
   * the job requests in one turn of the event loop are sent together. All must have the same `serverOf`, or be one.
   */
  writeAcross<T>(scopes: readonly TenantScope[], job: (viewOf: ViewOf) => Promise<T>): Promise<T>
  /**
   * Runs a job exactly as `write` does, in a transaction of its own that is always rolled back, and returns the value
   * that it would have had. The job sees everything committed before it. Rejects with StoreUnavailable as `write` does.
   * It shares no batch: writes wait for at most one rehearsal of their organization at a time.
   */
  rehearse<T>(scope: Scope, job: Job<T>): Promise<T>
  /**
   * Runs statements on the request log as the system, in a transaction of their own, and resolves with the number of
   * rows that the last one changed, once it is on disk. No other write waits for it. Rejects with StoreUnavailable as
   * `write` does.
   */
  writeLog(statements: readonly Bound[]): Promise<number>
  /** Runs a migration: as the system, without a statement timeout, one at a time over all processes. */
  migrate<T>(job: Job<T>): Promise<T>
  /**
   * Calls `listener` with the realms whose event logs have grown, in any process, as far as the engine reports it. A
   * hint that shortens waits: SQLite reports nothing.
   */
  watch(listener: (realm: number) => void): () => void
  /**
   * Sends a text of at most `db_limits.broadcast_bytes_max` bytes to all processes on this database, this one included. It is
   * kept nowhere and may be lost. Resolves when it was sent or lost. SQLite sends nothing.
   */
  broadcast(text: string): Promise<void>
  /** Calls `listener` with each broadcast that arrives. */
  onBroadcast(listener: (text: string) => void): () => void
  /** Corrects the modes of SQLite's files and checks the database before it is served. Rejects with DamagedDatabase. */
  check(): Promise<readonly Finding[]>
  /** Resolves if every table can be read and writes are accepted; else rejects with StoreUnavailable. */
  ping(): Promise<void>
  status(): StoreStatus
  /** Finishes waiting writes and refuses new ones. */
  close(): Promise<void>
}

/** The database was unreachable or could not guarantee the commit. Nothing was acknowledged. */
export class StoreUnavailable extends Error {
  /** Whether the change may have been committed nevertheless. */
  readonly uncertain: boolean
  /** The database answers reads and refuses changes: it is a standby. */
  readonly readOnly: boolean
  constructor(message: string, cause?: unknown, uncertain = false, readOnly = false) {
    super(message, { cause })
    this.name = 'StoreUnavailable'
    this.uncertain = uncertain
    this.readOnly = readOnly
  }
}

/** The database's files are malformed. The message says what the operator should do. */
export class DamagedDatabase extends Error {}

/** A setting about the database must be changed; the message names it. */
export class DatabaseMisconfigured extends Error {}

/** A newer program has changed the tables; this one would write rows that the newer one cannot use. */
export class NewerDatabase extends Error {}

/** An upgrade changed nothing, because the data could not be backed up first; the message says why and what to do. */
export class UpgradeRefused extends Error {}

/** The outcome of a job in a batch. */
export type Settled = { readonly value: unknown } | { readonly error: unknown }

/** A queued job with the promise of its caller. */
export interface Waiting {
  readonly scope: Scope
  readonly job: Job<unknown>
  readonly recorded: boolean
  readonly ahead: ((reader: Reader) => Promise<unknown>) | null
  /** Runs alone and is rolled back. */
  readonly rehearsal: boolean
  /** The organizations of a job for several of them, which runs alone. */
  readonly across: readonly TenantScope[] | null
  /** Runs alone, and what it requests in one turn is sent together. */
  readonly joinsTurns: boolean
  settle(outcome: Settled): void
}

/** A job to queue, and the promise of its value. */
export function waitFor<T>(
  scope: Scope,
  job: Job<T>,
  options: WriteOptions & Partial<Pick<Waiting, 'rehearsal' | 'across' | 'joinsTurns'>>,
): { waiting: Waiting; value: Promise<T> } {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const settle = (outcome: Settled): void => {
    if ('error' in outcome) reject(outcome.error)
    else resolve(outcome.value as T)
  }
  const { recorded = false, ahead = null, rehearsal = false, across = null, joinsTurns = false } = options
  return { waiting: { scope, job, recorded, ahead, rehearsal, across, joinsTurns, settle }, value: promise }
}

/** The organization of a tenant's scope; empty for the system. */
export function organizationOf(scope: Scope): string {
  return scope === 'system' ? '' : scope.organization
}

/** What the session of a batch sees: each organization of its jobs, with all realms that they need. */
export function widest(batch: readonly Waiting[]): readonly TenantScope[] | 'system' {
  const realms = new Map<string, Set<number>>()
  for (const { scope, across } of batch) {
    if (across !== null) return across
    if (scope === 'system') return scope
    const known = realms.get(scope.organization)
    if (known === undefined) realms.set(scope.organization, new Set(scope.realms))
    else for (const realm of scope.realms) known.add(realm)
  }
  return [...realms].map(([organization, of]) => ({ organization, realms: [...of] }))
}
