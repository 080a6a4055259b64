/**
 * Queries are built with Kysely, compiled once per engine, and run as text on a cached prepared statement. Kysely's own
 * drivers are not used. A parameter has a name and a type, `p: Placeholder<{ realm: number }>`: `p('realm')` compiles
 * only where a number is allowed, and running the query takes exactly these values.
 */
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  type SelectQueryBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { Dialect } from './dialect.ts'
import { type Effect, effectOf } from './engine/effect.ts'
import { ColumnValues, type Value } from './engine/value.ts'
import { db_limits } from './limits.ts'
import type { Schema, TableName } from './schema.ts'

export type { Value }
/** Values by the names of a query's parameters. */
export type Values = Readonly<Record<string, unknown>>
export type Builder = Kysely<Schema>
export type MaybePromise<T> = T | Promise<T>

declare const no_values: unique symbol
/** The values of a query without parameters. */
export type NoValues = { readonly [no_values]?: never }

class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/**
 * Stands for a value that is bound when the query runs, and has its type, so that it is allowed only for a column of
 * that type.
 */
export type Placeholder<V extends Values = Values> = <Name extends string & keyof V>(name: Name) => V[Name]
/** The values of a text that is composed for one request: their names depend on the request. */
export type ComposedValues = Readonly<Record<string, Value>>
export type ComposedPlaceholder = Placeholder<ComposedValues>

/** The values of a text whose builder is responsible for their types: allowed for every column. */
export type AnyValues = Readonly<Record<string, never>>
// The type of a placeholder exists only for the compiler: it stands for a value of its column.
const placeholder = ((name: string) => new Parameter(name)) as unknown as Placeholder<never>

/** What an engine takes for a parameter. */
export type BoundIn<D extends Dialect> = D extends 'postgres' ? Value | ColumnValues : Value

export interface Statement<D extends Dialect = Dialect> {
  readonly sql: string
  /** The name under which PostgreSQL prepares it, once per connection. A text that is used once has no name. */
  readonly name?: string
  readonly bind: (values: Values) => BoundIn<D>[]
  readonly effect: Effect
}

/** A query that returns rows of type `R` (none for a write) and takes the values `V`. */
export interface Query<R, V extends Values = NoValues> {
  readonly statement: <D extends Dialect>(dialect: D) => Statement<D>
  readonly row?: R
  /** Only a type: a query that needs fewer values is accepted where more are available, never the reverse. */
  readonly takes?: (values: V) => void
}

/** Any query, for code that passes statements on and leaves their values to the caller that chose the query. */
export type AnyQuery<R = unknown> = Query<R, never>

/** A query of the builder, or a text of SQL that is typed by its author. */
interface Buildable<R> {
  compile(db: Builder): CompiledQuery<R>
}

const builders: Record<Dialect, Builder> = {
  sqlite: new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  postgres: new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
}

/** The query builder of an engine; it builds texts and never runs them. */
export function builder(dialect: Dialect): Builder {
  return builders[dialect]
}

const names = new Map<string, string>()

/** A name for a text, the same on every connection; undefined once there are too many for a connection to keep. */
function statementName(text: string): string | undefined {
  let name = names.get(text)
  if (name === undefined && names.size < db_limits.prepared_statements_max) {
    name = `a${names.size}`
    names.set(text, name)
  }
  return name
}

function compile<D extends Dialect>(built: Buildable<unknown>, dialect: D, kept: boolean): Statement<D> {
  const compiled = built.compile(builders[dialect])
  const parameters = compiled.parameters
  const name = kept ? statementName(compiled.sql) : undefined
  return {
    sql: compiled.sql,
    ...(name === undefined ? {} : { name }),
    bind: kept
      ? binderOf(parameters, dialect)
      : (values) => parameters.map((parameter) => boundValue(parameter, values)),
    effect: effectOf(compiled.query),
  }
}

/** A compiled function for a cached statement's values: looking up each name takes three times as long. */
function binderOf<D extends Dialect>(parameters: readonly unknown[], dialect: D): Statement<D>['bind'] {
  const values = parameters.map((each, i) =>
    each instanceof Parameter ? `v[${JSON.stringify(each.name)}]` : `fixed[${i}]`,
  )
  const gather = new Function('fixed', `return (v) => [${values.join()}]`)(parameters) as (values: Values) => unknown[]
  return (values) => {
    const bound = gather(values)
    for (let i = 0; i < bound.length; i++) {
      const value = bound[i]
      if (typeof value === 'string' || typeof value === 'number' || value === null) continue
      if (!(value instanceof ColumnValues && dialect === 'postgres')) bound[i] = toValue(value)
    }
    // The loop has converted or refused everything else.
    return bound as BoundIn<D>[]
  }
}

/** The bound value of an operand in a query's tree: a placeholder's value, or the literal. */
export function boundValue(operand: unknown, values: Values): Value {
  return toValue(operand instanceof Parameter ? values[operand.name] : operand)
}

/** Refuses early what a driver would refuse later, when the statements after it may already be under way. */
function toValue(value: unknown): Value {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === undefined) throw new Error('a query was run without one of its values')
  throw new TypeError(`a ${typeof value} cannot be stored`)
}

/** Declares a query at module load; it is compiled on first use, once per engine. */
export function query<R, V extends Values = NoValues>(
  build: (db: Builder, p: Placeholder<V>, dialect: Dialect) => Buildable<R>,
): Query<R, V> {
  const compiled = new Map<Dialect, Statement>()
  return {
    statement<D extends Dialect>(dialect: D) {
      let statement = compiled.get(dialect)
      if (statement === undefined) {
        statement = compile(build(builders[dialect], placeholder, dialect), dialect, true)
        compiled.set(dialect, statement)
      }
      // It was compiled for this engine.
      return statement as Statement<D>
    },
  }
}

const shaped = new Map<string, AnyQuery>()
const shaped_max = 2_000

/** A query whose text depends on the request, compiled once per `shape`. The shape must name everything that varies. */
export function shapedQuery<R, V extends Values = NoValues>(
  shape: string,
  build: (db: Builder, p: Placeholder<V>, dialect: Dialect) => Buildable<R>,
): Query<R, V> {
  let found = shaped.get(shape)
  if (found === undefined) {
    if (shaped.size >= shaped_max) shaped.clear()
    found = query(build)
    shaped.set(shape, found)
  }
  return found as Query<R, V>
}

/**
 * A query built for one request with its values inside, for texts that a request composes. Values that change between
 * several runs of it are bound by name.
 */
export function onceQuery<R, V extends Values = NoValues>(
  build: (db: Builder, dialect: Dialect, p: Placeholder<V>) => Buildable<R>,
): Query<R, V> {
  let compiled: Statement | undefined
  return {
    statement<D extends Dialect>(dialect: D) {
      compiled ??= compile(build(builders[dialect], dialect, placeholder), dialect, false)
      // It is built for one request, and so for one engine.
      return compiled as Statement<D>
    },
  }
}

/** A data definition: run once, with nothing bound. */
export function definition(text: string): Query<never> {
  return onceQuery(() => sql.raw<never>(text))
}

/** A query written in SQL, for what Kysely's builder cannot express. */
export function rawQuery<R, V extends Values = NoValues>(
  build: (p: Placeholder<V>, dialect: Dialect) => RawBuilder<R>,
): Query<R, V> {
  return query((_, p, dialect) => build(p, dialect))
}

const inserts = new Map<TableName, { readonly columns: readonly string[]; readonly query: AnyQuery<never> }>()

/** Inserts one row, bound by the names of its columns. */
export function insertQuery(table: TableName, row: object): AnyQuery<never> {
  const columns = Object.keys(row)
  const last = inserts.get(table)
  // The columns are nearly always the same, in the same order.
  if (
    last !== undefined &&
    last.columns.length === columns.length &&
    last.columns.every((name, i) => name === columns[i])
  )
    return last.query
  const insert = shapedQuery<unknown, AnyValues>(`insert ${table} ${columns.join()}`, (db, p) =>
    untyped(db)
      .insertInto(table)
      .values(Object.fromEntries(columns.map((column) => [column, p(column)]))),
  )
  // The names of the columns come from the row, so its values fit them.
  const query = insert as unknown as AnyQuery<never>
  inserts.set(table, { columns, query })
  return query
}

/** The columns to set, with the row's realm and id. */
export type Update<T extends ResourceTable> = { readonly [K in keyof Schema[T]]?: Schema[T][K] } & {
  readonly realm: number
  readonly id: string
}

/** Sets columns of the row with this realm and id (bound as `realm` and `id`). */
export function updateQuery<T extends ResourceTable>(table: T, columns: readonly string[]): Query<never, Update<T>> {
  const update = shapedQuery<unknown, AnyValues>(`update ${table} ${columns.join()}`, (db, p) =>
    untyped(db)
      .updateTable(table as TableName)
      .set(Object.fromEntries(columns.map((column) => [column, p(column)])))
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id')),
  )
  // `Update<T>` types the values; the text names its columns at run time.
  return update as unknown as Query<never, Update<T>>
}

/** For texts that name tables and columns at run time: the caller is responsible for the columns. */
function untyped(db: Builder): Kysely<Record<TableName, Record<string, Value>>> {
  // Kysely types the columns of one table; of a table known only at run time it would have to type all combinations.
  return db as unknown as Kysely<Record<TableName, Record<string, Value>>>
}

/** The tables whose rows are resources of a realm. */
export type ResourceTable = {
  [K in TableName]: Schema[K] extends { realm: number; id: string; revision: number } ? K : never
}[TableName]

/** The columns of every table that `selectRows` reads. */
interface RowColumns {
  readonly realm: number
  readonly id: string
  readonly deleted_at: number | null
}

/** Selects whole rows of a table that is named at run time; conditions use the columns that all such tables have. */
export function selectRows<T extends ResourceTable>(
  db: Builder,
  table: T,
): SelectQueryBuilder<{ row: RowColumns }, 'row', Schema[T]> {
  // The rows are those of the table; the conditions may use the columns that all such tables have.
  return untyped(db).selectFrom(table).selectAll() as never
}

/** A number written into the text itself: with a bound LIMIT, SQLite's planner does not know the value. */
export function literal(value: number): RawBuilder<number> {
  if (!Number.isSafeInteger(value)) throw new Error('only integers may be written into a query')
  return sql.lit(value) as RawBuilder<number>
}
