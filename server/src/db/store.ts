/**
 * What the rest of the program knows of the database: a reader, and a committer that makes many requests' changes
 * durable together. Invariants: `write` settles only after the commit is on disk; a job that fails leaves nothing;
 * jobs of one organization run one after the other, so that a job sees all that was committed before it.
 */
import type { Dialect } from './dialect.ts'
import type { MaybePromise, Query, Values } from './query.ts'
import type { Schema, TableName } from './schema.ts'

/** Whose rows a session may see: an organization with one or both of its realms, or all (the system's own work). */
export type Scope = { readonly organization: string; readonly realms: readonly number[] } | 'system'

export interface Reader {
  readonly dialect: Dialect
  all<R>(query: Query<R>, values?: Values): MaybePromise<R[]>
  first<R>(query: Query<R>, values?: Values): MaybePromise<R | undefined>
}

/** The ends of an organization's logs, held locked from the first look until the commit. */
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
  /** Writes without waiting: a failure fails the job at the latest before its commit; later reads see the effect. */
  write(query: Query<unknown>, values?: Values): void
  /** Writes and tells how many rows changed. */
  run(query: Query<unknown>, values?: Values): MaybePromise<number>
  insert<T extends TableName>(table: T, row: Schema[T]): void
  heads(organization: string): MaybePromise<Heads>
}

export type Job<T> = (tx: Tx) => Promise<T>

export interface Store {
  readonly dialect: Dialect
  reader(scope: Scope): Reader
  /** Runs reads that must agree with each other on one snapshot. */
  snapshot<T>(scope: Scope, read: (reader: Reader) => Promise<T>): Promise<T>
  /** Refused with StoreUnavailable when the queue is full, the engine cannot be reached, or the commit is not certain. */
  write<T>(scope: Scope, job: Job<T>): Promise<T>
  /** Runs statements of the operator's (migrations, checks). */
  execute(statements: readonly string[]): Promise<void>
  /** Resolves when the engine answers; else rejects with StoreUnavailable. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** The database could not be asked, or could not promise the commit. Nothing was acknowledged. */
export class StoreUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StoreUnavailable'
  }
}
