/**
 * Rows that the jobs of one transaction read by equality and share: the project and assignee of a task are mostly those
 * of the task before. No other process writes meanwhile, so rows of a table stay valid until this transaction writes to
 * the table; from then on they are read each time.
 */
import { db_limits } from '../limits.ts'
import type { AnyQuery, Statement, Value, Values } from '../query.ts'
import type { SqliteConnection } from './connection.ts'

export class KeptRows {
  private readonly rows = new Map<Statement, Map<string, object | undefined>>()
  private readonly written = new Set<string>()
  private anything = false
  private size = 0

  /** The first row of a query. Each caller gets its own object. */
  first<R>(query: AnyQuery<R>, values: Values, connection: SqliteConnection): R | undefined {
    const statement = query.statement('sqlite')
    const { effect } = statement
    const isKept = effect.kind === 'reads' && effect.rows !== null && !this.anything
    if (!isKept || this.written.has(effect.rows.table)) {
      this.note(query)
      return connection.first(query, values)
    }
    let known = this.rows.get(statement)
    if (known === undefined) {
      known = new Map()
      this.rows.set(statement, known)
    }
    const key = keyOf(statement.bind(values))
    let row = known.get(key)
    if (row === undefined && !known.has(key)) {
      row = connection.first(query as AnyQuery<object>, values)
      if (this.size++ < db_limits.kept_lookups_max) known.set(key, row)
    }
    return row === undefined ? undefined : ({ ...row } as R)
  }

  /** Must be called with every statement that may write, before it runs. */
  note(query: AnyQuery): void {
    const { effect } = query.statement('sqlite')
    if (effect.kind === 'reads') return
    if (effect.table === null) this.anything = true
    else this.written.add(effect.table)
  }
}

/** Distinct lists of values have distinct keys. */
function keyOf(values: readonly Value[]): string {
  let key = ''
  for (const value of values) {
    const text = String(value)
    key += typeof value === 'string' ? `${text.length} ${text}` : `${text};`
  }
  return key
}
