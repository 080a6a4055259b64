/**
 * Runs statements over a connection of `pg`, which opens it and handles its order, timeouts and errors. The costly
 * parts are done here instead: a statement leaves as one buffer, its result is described once per connection, and rows
 * are read directly from the bytes. Relies on internals of the installed version of `pg`.
 */
import type { EventEmitter } from 'node:events'
import pg from 'pg'
import type { BoundIn } from '../query.ts'
import { closeMessage, runMessages } from './messages.ts'
import { type Field, type ReadRow, rowReader } from './rows.ts'

/** A text and its values; with a name it is prepared once per connection. */
export interface Bound {
  readonly name?: string
  readonly sql: string
  readonly values: readonly BoundIn<'postgres'>[]
}

export interface Result<R> {
  readonly rows: R[]
  /** Rows found or changed. */
  readonly count: number
}

interface Connection {
  readonly stream: EventEmitter & { write(bytes: Buffer): unknown }
  /** Prepared texts by name, and those being prepared. Kept by `pg`. */
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
}

interface Client {
  readonly connection: Connection
  _getActiveQuery(): unknown
}

function insideOf(client: pg.ClientBase): Client {
  // Fields of `pg` that its types leave out.
  return client as unknown as Client
}

/** How the rows of prepared statements are read, by statement name, for the life of the connection. */
const described = new WeakMap<Connection, Map<string, ReadRow | null>>()

/** Connections whose server may change between transactions, and with it the statements that it has prepared. */
const unprepared = new WeakSet<pg.ClientBase>()

/** From now on, no statement is prepared on this connection. */
export function prepareNothing(client: pg.ClientBase): void {
  unprepared.add(client)
}

/** The prepared statements of connections that keep a limited number of them, those used longest ago first. */
const bounded = new WeakMap<Connection, { readonly max: number; readonly used: Set<string> }>()

/** From now on, at most `max` statements are prepared on this connection at a time. */
export function boundPrepared(client: pg.ClientBase, max: number): void {
  bounded.set(insideOf(client).connection, { max, used: new Set() })
}

/** Notes the use of a prepared statement, and forgets others if there are too many. */
function makeRoom(connection: Connection, name: string): void {
  const kept = bounded.get(connection)
  if (kept === undefined) return
  kept.used.delete(name)
  kept.used.add(name)
  for (const oldest of kept.used) {
    if (kept.used.size <= kept.max) return
    // Until the server has answered, `pg` counts it as being prepared.
    if (oldest === name || !(oldest in connection.parsedStatements)) continue
    kept.used.delete(oldest)
    delete connection.parsedStatements[oldest]
    described.get(connection)?.delete(oldest)
    connection.stream.write(closeMessage(oldest))
  }
}

/** Runs a statement. Rejects as `pg` does. `before` runs in the same transaction, and its result is ignored. */
export function run<R>(client: pg.ClientBase, bound: Bound, before: Bound | null = null): Promise<Result<R>> {
  return new Promise((resolve, reject) => {
    const sent = unprepared.has(client) ? { sql: bound.sql, values: bound.values } : bound
    const query = new StatementQuery(sent, before, (error, result) => {
      if (error) reject(error)
      else resolve(result as Result<R>)
    })
    // `pg` calls the methods of a submittable, which this class has.
    client.query(query as unknown as pg.Submittable)
  })
}

type Callback = (error: Error | null, result?: Result<object>) => void

// The types of `pg` leave out the constructor.
const Query = pg.Query as unknown as new (text: string) => EventEmitter

/** `pg` calls a query's methods by these names. */
class StatementQuery extends Query {
  readonly name: string
  /** Wrapped by `pg`. */
  callback: Callback
  private readonly bound: Bound
  private readonly before: Bound | null
  /** Whether the answers are still those to `before`. */
  private isBefore: boolean
  private known: Map<string, ReadRow | null> | undefined
  private readRow: ReadRow | null = null
  private made: object[] | null = []
  private count = 0
  private fault: Error | null = null

  constructor(bound: Bound, before: Bound | null, callback: Callback) {
    super('')
    this.bound = bound
    this.before = before
    this.isBefore = before !== null
    this.name = bound.name ?? ''
    this.callback = callback
  }

  submit(connection: Connection): null {
    const { name, bound } = this
    const { parsedStatements, submittedNamedStatements } = connection
    const isParsed = name !== '' && (name in parsedStatements || name in submittedNamedStatements)
    if (name !== '') makeRoom(connection, name)
    if (!isParsed && name !== '') submittedNamedStatements[name] = bound.sql
    this.known = described.get(connection)
    if (this.known === undefined) {
      this.known = new Map()
      described.set(connection, this.known)
    }
    const reader = name === '' ? undefined : this.known.get(name)
    this.readRow = reader ?? null
    const sql = isParsed ? null : bound.sql
    if (this.before !== null) {
      const { sql: first, values } = this.before
      connection.stream.write(runMessages({ name: '', sql: first, values, described: false }, false))
    }
    connection.stream.write(runMessages({ name, sql, values: bound.values, described: reader === undefined }))
    return null
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.readRow = rowReader(fields)
    if (this.name !== '') this.known?.set(this.name, this.readRow)
  }

  takeRow(bytes: Buffer, from: number, to: number): void {
    if (this.isBefore) return
    try {
      if (this.readRow === null) throw new Error('a row came without a description')
      this.made?.push(this.readRow(bytes, from, to))
    } catch (error) {
      this.fault ??= error as Error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    if (this.isBefore) {
      this.isBefore = false
      return
    }
    this.count = Number(/\d+$/.exec(text)?.[0] ?? 0)
    if (this.name !== '' && this.known?.has(this.name) === false) this.known.set(this.name, null)
  }

  handleReadyForQuery(): void {
    const rows = this.made ?? []
    // Waiting has moved this object into the old generation: rows that it still references would stay until a full
    // collection.
    this.made = null
    if (this.fault !== null) this.callback(this.fault)
    else this.callback(null, { rows, count: this.count })
  }

  handleError(error: Error): void {
    // Further rows are ignored.
    this.made = null
    this.callback(error)
  }

  handleEmptyQuery(): void {}

  /** COPY is not used here, but `pg` would wait for an answer. */
  handleCopyInResponse(connection: { sendCopyFail(reason: string): void }): void {
    connection.sendCopyFail('COPY is not used')
  }

  handleCopyData(): void {}

  handlePortalSuspended(): void {}
}

const row_message = 'D'.charCodeAt(0)
const head_bytes = 5

/**
 * Called once per connection, before its first statement: rows of statements run here arrive as bytes; everything else
 * reaches `pg`.
 */
export function takeRows(client: pg.ClientBase): void {
  const { connection } = insideOf(client)
  const { stream } = connection
  const listeners = stream.listeners('data') as ((bytes: Buffer) => void)[]
  const pass = (bytes: Buffer): void => {
    for (const listener of listeners) listener.call(stream, bytes)
  }
  let parts: Buffer[] = []
  let waiting = 0
  let needed = 0
  stream.on('data', (chunk: Buffer) => {
    parts.push(chunk)
    waiting += chunk.length
    if (waiting < needed) return
    const bytes = parts.length === 1 ? chunk : Buffer.concat(parts, waiting)
    const end = passMessages(client, bytes, pass)
    parts = end === bytes.length ? [] : [bytes.subarray(end)]
    waiting = bytes.length - end
    needed = waiting < head_bytes ? head_bytes : messageEnd(bytes, end) - end
  })
  for (const listener of listeners) stream.off('data', listener)
}

/** Passes on the complete messages and returns where the incomplete one begins. */
function passMessages(client: pg.ClientBase, bytes: Buffer, pass: (bytes: Buffer) => void): number {
  let passed = 0
  let at = 0
  while (at + head_bytes <= bytes.length) {
    const end = messageEnd(bytes, at)
    if (end > bytes.length) break
    if (bytes[at] === row_message) {
      // The owner of these rows depends on the messages before them.
      if (at > passed) pass(bytes.subarray(passed, at))
      passed = at
      const query = insideOf(client)._getActiveQuery()
      if (query instanceof StatementQuery) {
        query.takeRow(bytes, at + head_bytes, end)
        passed = end
      }
    }
    at = end
  }
  if (at > passed) pass(bytes.subarray(passed, at))
  return at
}

function messageEnd(bytes: Buffer, at: number): number {
  return at + 1 + bytes.readUInt32BE(at + 1)
}
