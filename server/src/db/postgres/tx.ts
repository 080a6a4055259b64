/**
 * One PostgreSQL transaction and the jobs that share it. Writes whose result is not awaited are pipelined, and the
 * commit after them: the server answers a commit after a failed statement with ROLLBACK. Each job has a view of its own
 * that ends with the job, so that code a job left running writes nowhere.
 */
import type pg from 'pg'
import type { OnNode } from '../citus/on-node.ts'
import { type ShardTables, writeSettings } from '../citus/shard-tables.ts'
import {
  findHome,
  lockHeads,
  onShard,
  readAuditHead,
  readEventHeads,
  readEventHeadsOfMany,
  toHeads,
  writeEventHead,
  writeHeads,
} from '../engine/heads.ts'
import { isCached, KeyedRows } from '../engine/keyed-rows.ts'
import { db_limits } from '../limits.ts'
import { type AnyQuery, insertQuery, type Values } from '../query.ts'
import { homeOf, testRealmOf } from '../realms/numbers.ts'
import type { Schema, TableName } from '../schema.ts'
import { type Heads, type Scope, StoreUnavailable, type TenantScope, type Tx } from '../store.ts'
import { type Address, cork, passesSettingsOn, settingsOnNodes, transactionSettings } from './client.ts'
import { isConnectionLost, isElsewhere, isRetryable, RowsElsewhere } from './errors.ts'
import { GatheredReads } from './gathered-reads.ts'
import { isOwn } from './own-rows.ts'
import { isSame, scopeSettings, settingStatements, type Visible } from './row-security.ts'
import { type Bound, type Result, run } from './statement.ts'
import { WriteBuffer } from './write-buffer.ts'

const none: Values = {}

function ignore(): void {}

/** For the transaction: how long it waits for the lock of a row. */
const shared_wait = `select set_config('lock_timeout', '${db_limits.shared_wait_ms}', true)`

/** The heads of an organization, and the sequences with which they were read. */
interface OpenedHeads {
  readonly heads: Heads
  readonly before: ReadonlyMap<number, number>
  /** The live realm; 0 where it is not needed. */
  readonly home: number
}

function openHeads(heads: Heads, home = 0): OpenedHeads {
  return { heads, before: new Map(heads.events), home }
}

/** What the jobs of one shard share, or all jobs where statements name tables. */
interface Part {
  readonly keyed: KeyedRows | null
  readonly buffer: WriteBuffer | null
  gathered: GatheredReads | null
}

export class PostgresTransaction {
  private readonly client: pg.ClientBase
  private readonly isCitus: boolean
  private readonly passesOn: boolean
  /** The node of Citus whose shards all statements name; null if they name tables. */
  private readonly at: OnNode | null
  private readonly opened = new Map<string, Promise<OpenedHeads>>()
  /** What the batch's jobs see together, and what the settings sent last show. */
  readonly visible: Visible
  private shown: Visible
  /** The error that failed the transaction first; later statements fail because of it. */
  private first: { readonly error: unknown } | null = null
  /** Rows of writes so far whose result is not awaited: nearly all rows that are inserted. */
  inserted = 0
  private readonly parts = new Map<ShardTables | null, Part>()
  /** Only under the organizations' locks. */
  private keepsRows = false
  private buffersWrites = false
  /** Whether reads of one turn of the event loop are gathered. */
  private joinsTurns = false
  /** Whether reads are gathered until the running code has made all of them. */
  private gathers = false

  /** Begins without waiting. Without its settings, which end with it, the session would see no rows. */
  constructor(
    client: pg.ClientBase,
    address: Address,
    mode: 'read committed read write' | 'repeatable read read only',
    visible: Visible,
    at: OnNode | null = null,
  ) {
    this.client = client
    this.at = at
    this.isCitus = address.isCitus && at === null
    this.passesOn = passesSettingsOn(address)
    this.visible = visible
    this.shown = visible
    void this.send({ name: `begin ${mode}`, sql: `begin isolation level ${mode}`, values: [] })
    if (at !== null) this.lockShards(at)
    else if (this.passesOn) for (const setting of settingsOnNodes(address, visible)) void this.send(setting)
    else void this.send(transactionSettings(address, visible, mode === 'read committed read write'))
  }

  get failed(): boolean {
    return this.first !== null
  }

  /**
   * The error to report for work that ended with `error`. A transaction that did not begin, or was lost, shows no rows: the
   * work may have refused what is there.
   */
  causeOf(error: unknown): unknown {
    const first = this.first?.error
    return isConnectionLost(first) || isRetryable(first) || isElsewhere(first) ? first : error
  }

  /** Waits for a move of the shards, but with several organizations not for long. */
  private lockShards(at: OnNode): void {
    if (at.organizations > 1) void this.send({ name: 'shared_wait', sql: shared_wait, values: [] })
    for (const setting of writeSettings(this.visible, at.shards)) void this.send(setting)
  }

  /** The shard that a scope's statements name; null if they name tables, or if they are not for one organization. */
  tablesOf(scope: Scope): ShardTables | null {
    return this.at?.tablesOf(scope) ?? null
  }

  private partOf(tables: ShardTables | null): Part {
    let part = this.parts.get(tables)
    if (part === undefined) {
      const buffer = new WriteBuffer(
        (query, values) => void this.pass(query, values, this.visible, tables),
        !this.isCitus,
      )
      part = {
        keyed: this.keepsRows ? new KeyedRows() : null,
        buffer: this.buffersWrites ? buffer : null,
        gathered: null,
      }
      this.parts.set(tables, part)
    }
    return part
  }

  /**
   * Takes the organization's lock before anything is read; rows read by key are then valid until this transaction
   * changes them.
   */
  lock(organization: string): void {
    void this.heads(organization)
    this.keepRows()
  }

  /**
   * The same for several organizations. Waits for their locks, but not for long; or leaves out the organizations whose locks
   * are taken. Resolves with the organizations whose locks it has.
   */
  async lockMany(organizations: readonly string[], whenTaken: 'wait' | 'skip'): Promise<ReadonlySet<string>> {
    if (this.at === null) void this.send({ name: 'shared_wait', sql: shared_wait, values: [] })
    const locking: Promise<readonly string[]>[] = []
    // In the same order in every transaction: by shard, and by organization within it.
    for (const [tables, own] of this.byShard(organizations)) locking.push(this.lockOn(tables, own, whenTaken))
    this.keepRows()
    const locked = Promise.all(locking).then((parts) => new Set(parts.flat()))
    locked.catch(ignore)
    return await locked
  }

  private byShard(organizations: readonly string[]): [ShardTables | null, string[]][] {
    const { at } = this
    if (at === null) return [[null, [...organizations]]]
    const groups = Map.groupBy(organizations, (organization) => at.tablesFor(organization))
    return [...groups].toSorted(([one], [other]) => (one?.shard ?? 0) - (other?.shard ?? 0))
  }

  /** Locks organizations of one shard. Resolves with those whose locks it has. */
  private async lockOn(
    tables: ShardTables | null,
    organizations: readonly string[],
    whenTaken: 'wait' | 'skip',
  ): Promise<readonly string[]> {
    const values = { organizations: organizations.join() }
    const audit = this.ask(lockHeads[whenTaken], values, this.visible, tables)
    const events = this.ask(readEventHeadsOfMany, values, this.visible, tables)
    const [heads, logs] = await Promise.all([audit, events])
    for (const head of heads.rows) {
      const own = logs.rows.filter(({ organization }) => organization === head.organization)
      this.opened.set(head.organization, Promise.resolve(openHeads(toHeads(head, own))))
    }
    return heads.rows.map(({ organization }) => organization)
  }

  /** For a job of several organizations: sends together what it requests in a turn, and the rows that it inserts. */
  joinTurns(): void {
    this.joinsTurns = true
    this.buffersWrites = true
  }

  private keepRows(): void {
    this.keepsRows = true
    this.buffersWrites = true
    this.parts.clear()
  }

  private newTurn(part: Part, tables: ShardTables | null): GatheredReads {
    const read = async (query: AnyQuery, values: Values) => (await this.ask(query, values, this.visible, tables)).rows
    const turn = new GatheredReads(read, () => !this.isCitus)
    setImmediate(() => {
      part.gathered = null
      turn.send()
    })
    return turn
  }

  /** Sends the reads by key that `ask` makes as one batch for each shard. */
  gather(ask: () => void): void {
    this.gathers = true
    ask()
    this.gathers = false
    for (const part of this.parts.values()) {
      const { gathered } = part
      part.gathered = null
      gathered?.send()
    }
  }

  private newGathered(tables: ShardTables | null): GatheredReads {
    const pass = async (query: AnyQuery, values: Values) => (await this.pass(query, values, this.visible, tables)).rows
    return new GatheredReads(pass, () => !this.isCitus)
  }

  /** Sends a statement. A failure is recorded here, so that the result need not be awaited. */
  private send<R>(statement: Bound): Promise<Result<R>> {
    cork(this.client)
    const result = run<R>(this.client, statement).catch((error: unknown) => {
      this.first ??= { error }
      throw this.first.error
    })
    result.catch(ignore)
    return result
  }

  /** Sends the settings that show what a statement may see, unless they are in force. */
  private show(visible: Visible): void {
    if (visible === this.shown) return
    this.shown = visible
    if (this.passesOn) for (const setting of settingStatements(visible)) void this.send(setting)
    else void this.send(scopeSettings(visible, true))
  }

  /** Sends a query after recording its effect. */
  private pass<R>(
    query: AnyQuery<R>,
    values: Values,
    visible: Visible,
    tables: ShardTables | null,
  ): Promise<Result<R>> {
    const statement = this.at === null ? query.statement('postgres') : (tables?.statement(query) ?? null)
    if (statement === null) return this.refuse()
    const { sql, name, bind } = statement
    this.show(visible)
    return this.send({ sql, values: bind(values), ...(name === undefined ? {} : { name }) })
  }

  /** A statement that cannot name shards fails the transaction before it is sent: Citus would not see what shards have taken. */
  private refuse<R>(): Promise<Result<R>> {
    this.first ??= { error: new RowsElsewhere('the statement cannot name shards') }
    const refused = Promise.reject(this.first.error)
    refused.catch(ignore)
    return refused
  }

  /** Asks the engine with the settings of the batch, or of one job; earlier writes are visible. */
  ask<R>(
    query: AnyQuery<R>,
    values: Values,
    visible: Visible = this.visible,
    tables: ShardTables | null = null,
  ): Promise<Result<R>> {
    const { effect } = query.statement('postgres')
    const { buffer, keyed } = this.partOf(tables)
    buffer?.flushBefore(effect)
    const result = this.pass<R>(query, values, visible, tables)
    keyed?.note(effect, values)
    return result
  }

  /** Writes without waiting, and together with others if that makes no difference. */
  write(query: AnyQuery, values: Values, tables: ShardTables | null): void {
    const { buffer, keyed } = this.partOf(tables)
    const { effect } = query.statement('postgres')
    if (effect.kind === 'inserts') this.inserted += effect.rows.length
    if (buffer?.add({ query, values }) !== true) void this.ask(query, values, this.visible, tables)
    else keyed?.note(effect, values)
  }

  rows(query: AnyQuery, values: Values, tables: ShardTables | null): Promise<unknown[]> {
    const part = this.partOf(tables)
    if (this.gathers) part.gathered ??= this.newGathered(tables)
    else if (this.joinsTurns) part.gathered ??= this.newTurn(part, tables)
    const ask = () => part.gathered?.add(query, values) ?? this.read(query, values, tables)
    return part.keyed === null ? ask() : part.keyed.rows(query.statement('postgres'), values, ask)
  }

  private async read(query: AnyQuery, values: Values, tables: ShardTables | null): Promise<unknown[]> {
    return (await this.ask(query, values, this.visible, tables)).rows
  }

  heads(organization: string): Promise<Heads> {
    let opened = this.opened.get(organization)
    if (opened === undefined) {
      opened = this.isCitus ? this.readOnShard(organization) : this.readHeads(organization)
      opened.catch(ignore)
      this.opened.set(organization, opened)
    }
    const heads = opened.then((found) => found.heads)
    heads.catch(ignore)
    return heads
  }

  private async readHeads(organization: string): Promise<OpenedHeads> {
    const tables = this.at?.tablesFor(organization) ?? null
    const audit = this.ask(readAuditHead, { organization }, this.visible, tables)
    const events = this.ask(readEventHeads, { organization }, this.visible, tables)
    const [head, realms] = await Promise.all([audit, events])
    return openHeads(toHeads(head.rows[0], realms.rows))
  }

  private async readOnShard(organization: string): Promise<OpenedHeads> {
    const home = this.homeIn(organization) ?? (await this.ask(findHome, { organization })).rows[0]?.realm ?? 0
    const audit = this.ask(onShard.readAuditHead, { home, organization })
    const events = this.ask(onShard.readEventHeads, { live: home, test: testRealmOf(home) })
    const [head, realms] = await Promise.all([audit, events])
    return openHeads(toHeads(head.rows[0], realms.rows), home)
  }

  /** The live realm of an organization whose scope is known. */
  private homeIn(organization: string): number | null {
    if (this.visible === 'system') return null
    const scopes = 'organization' in this.visible ? [this.visible] : this.visible
    const realm = scopes.find((scope) => scope.organization === organization)?.realms[0]
    return realm === undefined ? null : homeOf(realm)
  }

  /** Writes the changed heads and commits. Rejects with an uncertain StoreUnavailable if no answer came. */
  async commit(): Promise<void> {
    this.flush()
    await this.writeHeads()
    this.requireUnfailed()
    let done: pg.QueryResult
    try {
      done = await this.client.query('commit')
    } catch (error) {
      throw isConnectionLost(error) ? new StoreUnavailable('the commit was not answered', error, true) : error
    }
    // A commit outside a transaction is also answered with COMMIT: if BEGIN itself failed, nothing is durable.
    this.requireUnfailed()
    if (done.command !== 'COMMIT') throw new Error(`a commit was answered with ${done.command}`)
  }

  private flush(): void {
    for (const { buffer } of this.parts.values()) buffer?.flushAll()
  }

  private async writeHeads(): Promise<void> {
    if (this.isCitus) return await this.writeOnShards()
    for (const [tables, organizations] of this.byShard([...this.opened.keys()]))
      await this.writeHeadsOn(tables, organizations)
  }

  /** Writes the changed heads of a shard in one statement, which also notifies the realms whose logs have grown. */
  private async writeHeadsOn(tables: ShardTables | null, of: readonly string[]): Promise<void> {
    const audit: object[] = []
    const events: { readonly realm: number; readonly sequence: number }[] = []
    const organizations: string[] = []
    for (const organization of of) {
      const { heads, before } = await (this.opened.get(organization) as Promise<OpenedHeads>)
      if (!heads.changed) continue
      organizations.push(organization)
      audit.push({ organization, ...heads.audit })
      for (const [realm, sequence] of heads.events) if (before.get(realm) !== sequence) events.push({ realm, sequence })
    }
    if (organizations.length === 0) return
    const values = {
      organizations: organizations.join(),
      audit: JSON.stringify(audit),
      events: JSON.stringify(events),
      realms: events.map(({ realm }) => realm).join(),
    }
    void this.ask(writeHeads, values, this.visible, tables)
  }

  private async writeOnShards(): Promise<void> {
    for (const [organization, opened] of this.opened) {
      const { heads, before, home } = await opened
      if (!heads.changed) continue
      void this.ask(onShard.writeAuditHead, { home, organization, ...heads.audit })
      const grown = [...heads.events].filter(([realm, sequence]) => before.get(realm) !== sequence)
      for (const [realm, sequence] of grown) void this.ask(writeEventHead, { realm, sequence })
      if (grown.length > 0) void this.ask(onShard.notify, { realms: grown.map(([realm]) => realm).join() })
    }
  }

  private requireUnfailed(): void {
    if (this.first !== null) throw this.first.error
  }

  /** Rolls back. Rejects if the connection does not answer. */
  async rollBack(): Promise<void> {
    await this.client.query('rollback')
  }

  /** Rejects unless everything sent so far has succeeded. */
  async settled(): Promise<void> {
    this.flush()
    await this.send({ sql: 'rollback', values: [] })
    this.requireUnfailed()
  }
}

export class PostgresTx implements Tx {
  readonly dialect = 'postgres'
  dirty = false
  private readonly transaction: PostgresTransaction
  private over = false
  /** What the job may see, if the batch's session shows more. */
  private readonly narrow: TenantScope | null
  /** The shard that its statements name. */
  private readonly tables: ShardTables | null
  private readonly isAhead: boolean
  /** Of a job for several organizations. */
  private readonly views: PostgresTx[] = []

  /** `isAhead`: takes only reads whose answers are cached for the job. */
  constructor(transaction: PostgresTransaction, scope: Scope = 'system', isAhead = false) {
    this.transaction = transaction
    this.narrow = scope === 'system' || isSame(scope, transaction.visible) ? null : scope
    this.tables = transaction.tablesOf(scope)
    this.isAhead = isAhead
  }

  /** The settings for a statement: the batch's if they show it only rows of its job, else the job's own. */
  private settingsFor(query: AnyQuery, values: Values): TenantScope | null {
    const { narrow } = this
    return narrow === null || isOwn(narrow, query.statement('postgres').effect, values) ? null : narrow
  }

  all<R>(query: AnyQuery<R>, values = none): Promise<R[]> {
    const rows = this.read(query, values)
    rows.catch(ignore)
    return rows
  }

  /** The caller must see to it that the answer is awaited. */
  private read<R>(query: AnyQuery<R>, values: Values): Promise<R[]> {
    this.use()
    if (this.isAhead && !isCached(query.statement('postgres').effect))
      throw new Error('this read is not cached, so it cannot be sent ahead')
    const narrow = this.settingsFor(query, values)
    if (this.isAhead && narrow !== null) throw new Error('this read does not name its tenant, so it is not sent ahead')
    return (
      narrow === null
        ? this.transaction.rows(query, values, this.tables)
        : this.transaction.ask(query, values, narrow, this.tables).then((result) => result.rows)
    ) as Promise<R[]>
  }

  first<R>(query: AnyQuery<R>, values = none): Promise<R | undefined> {
    const row = this.read(query, values).then((rows) => rows[0])
    row.catch(ignore)
    return row
  }

  write(query: AnyQuery, values = none): void {
    this.use()
    this.dirty = true
    const narrow = this.settingsFor(query, values)
    if (narrow === null) this.transaction.write(query, values, this.tables)
    else void this.transaction.ask(query, values, narrow, this.tables)
  }

  run(query: AnyQuery, values = none): Promise<number> {
    this.use()
    this.dirty = true
    const narrow = this.settingsFor(query, values) ?? undefined
    const count = this.transaction.ask(query, values, narrow, this.tables).then((result) => result.count)
    count.catch(ignore)
    return count
  }

  insert<T extends TableName>(table: T, row: Schema[T]): void {
    // A row has no index signature; its columns are the names that the insert binds.
    this.write(insertQuery(table, row), row as unknown as Values)
  }

  heads(organization: string): Promise<Heads> {
    this.use()
    // The job's own session would find no heads of another organization.
    if (this.narrow !== null && this.narrow.organization !== organization)
      return Promise.resolve(toHeads(undefined, []))
    return this.transaction.heads(organization)
  }

  /** The same transaction for the rows of one organization. */
  viewOf(scope: TenantScope): PostgresTx {
    this.use()
    const { visible } = this.transaction
    const isOurs = Array.isArray(visible) && visible.some((each) => isSame(each, scope))
    if (!isOurs) throw new Error('the transaction is not for this organization')
    // Its writes count as those of the job.
    this.dirty = true
    const view = new PostgresTx(this.transaction, scope)
    this.views.push(view)
    return view
  }

  end(): void {
    this.over = true
    for (const view of this.views) view.end()
  }

  private use(): void {
    if (this.over) throw new Error('a transaction was used after its end')
  }
}
