/** Reads of SQLite outside transactions. */
import type { AnyQuery, Values } from '../query.ts'
import type { Reader } from '../store.ts'
import type { SqliteConnection } from './connection.ts'
import { asStoreError, isBroken, isBusy } from './errors.ts'
import type { Health } from './health.ts'

const none: Values = {}

/** Reads what is committed: on the first given connection that is not in a transaction. */
export class SqliteReader implements Reader {
  readonly dialect = 'sqlite'
  private readonly writing: SqliteConnection | null
  private readonly reading: SqliteConnection
  private readonly health: Health
  private readonly before: () => void

  /** `before` runs before each read. */
  constructor(
    writing: SqliteConnection | null,
    reading: SqliteConnection,
    health: Health,
    before: () => void = () => {},
  ) {
    this.writing = writing
    this.reading = reading
    this.health = health
    this.before = before
  }

  all<R>(query: AnyQuery<R>, values = none): R[] {
    const connection = this.connection()
    try {
      return connection.all(query, values)
    } catch (error) {
      return this.otherwise(connection, error).all(query, values)
    }
  }

  first<R>(query: AnyQuery<R>, values = none): R | undefined {
    const connection = this.connection()
    try {
      return connection.first(query, values)
    } catch (error) {
      return this.otherwise(connection, error).first(query, values)
    }
  }

  private connection(): SqliteConnection {
    this.before()
    const { writing } = this
    return writing === null || writing.inTransaction ? this.reading : writing
  }

  /** The writing connection never waits for a lock of another process; the other one does. */
  private otherwise(connection: SqliteConnection, error: unknown): SqliteReader {
    if (connection === this.writing && isBusy(error)) return new SqliteReader(null, this.reading, this.health)
    this.health.note(error)
    if (isBroken(error)) connection.drop()
    throw asStoreError(error)
  }
}
