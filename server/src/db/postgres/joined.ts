/**
 * Statements that do for many rows at once what others do for one: to PostgreSQL a statement costs more than a row. Their values are
 * bound as a `RowShape` does, so that a text is prepared once for any number of rows.
 */
import {
  ColumnNode,
  OperationNodeTransformer,
  type RawBuilder,
  ReferenceNode,
  type SelectQueryNode,
  sql,
  TableNode,
  type ValueNode,
} from 'kysely'
import type { Columns, Conflict, Lookup } from '../engine/effect.ts'
import type { ColumnType } from '../engine/value.ts'
import { type AnyQuery, type Placeholder, type Query, shapedQuery, type Value } from '../query.ts'
import { type Joined, parameterOf, type RowShape } from './row-shape.ts'

const joined = new WeakSet<AnyQuery>()

/** Whether it looks up the rows of several reads. */
export function isJoined(query: AnyQuery): boolean {
  return joined.has(query)
}

/**
 * The rows, as a query. Behind `from`, `unnest` would first store each column's values again. `offset 0` hides the arrays' lengths from
 * the planner, which would otherwise plan each execution, because few rows seem cheaper than the number that a kept plan is for.
 */
function rowsOf({ columns, types }: RowShape, p: Placeholder<Joined>): RawBuilder<unknown> {
  const given = sql.join(columns.map((_, i) => sql`${arrayOf(types[i], p, i)} as ${sql.ref(parameterOf(i))}`))
  const rows = sql.join(columns.map((name, i) => sql`${elementOf(types[i], i)} as ${sql.ref(name)}`))
  return sql`select ${rows} from (select ${given} offset 0) as given`
}

/** PostgreSQL has no arrays of arrays of different lengths, so these are texts. */
function arrayOf(type: ColumnType = 'text', p: Placeholder<Joined>, column: number): RawBuilder<unknown> {
  return sql`${p(parameterOf(column))}::${sql.raw(type === 'bigint[]' ? 'text' : type)}[]`
}

function elementOf(type: ColumnType = 'text', column: number): RawBuilder<unknown> {
  const value = sql`unnest(${sql.ref(`given.${parameterOf(column)}`)})`
  return type === 'bigint[]' ? sql`${value}::bigint[]` : value
}

/** Inserts the rows. With `conflict`, each must have another key. */
export function insertJoined(shape: RowShape, conflict: Conflict | null): Query<unknown, Joined> {
  const { table, columns } = shape
  return shapedQuery(
    `insert joined ${table} ${columns.join()} ${JSON.stringify(conflict)}`,
    (db, p: Placeholder<Joined>) => {
      const names = sql.join(columns.map((column) => sql.ref(column)))
      const text = sql`insert into ${sql.table(table)} (${names}) ${rowsOf(shape, p)}${onConflict(conflict)}`
      // A write returns no rows.
      return { compile: () => text.compile(db) } as never
    },
  )
}

/**
 * Sets the columns after the first `keyed` of the rows that equal one of the given rows in these. They are looked up by each column of
 * the key, too: PostgreSQL would scan a table that was small when the statement was planned.
 */
export function updateJoined(shape: RowShape, keyed: number): Query<unknown, Joined> {
  const { table, columns, types } = shape
  return shapedQuery(`update joined ${table} ${keyed} ${columns.join()}`, (db, p: Placeholder<Joined>) => {
    const conditions = columns.slice(0, keyed).flatMap((name, i) => {
      const column = sql.ref(`own.${name}`)
      const values = sql`(select ${arrayOf(types[i], p, i)})::${sql.raw(types[i] ?? 'text')}[]`
      return [sql`${column} = one.${sql.ref(name)}`, sql`${column} = any(${values})`]
    })
    const text = sql`update ${sql.table(table)} as own
      set ${sql.join(columns.slice(keyed).map((name) => sql`${sql.ref(name)} = one.${sql.ref(name)}`))}
      from (${rowsOf(shape, p)}) as one where ${sql.join(conditions, sql` and `)}`
    // A write returns no rows.
    return { compile: () => text.compile(db) } as never
  })
}

function onConflict(conflict: Conflict | null): RawBuilder<unknown> {
  if (conflict === null) return sql``
  const key = sql.join(conflict.key.map((column) => sql.ref(column)))
  if (conflict.set.length === 0) return sql` on conflict (${key}) do nothing`
  const set = conflict.set.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`)
  return sql` on conflict (${key}) do update set ${sql.join(set)}`
}

/**
 * The rows that equal one of the given rows in its columns, with these columns in addition to those of the look-up. Each row is
 * looked up separately (`offset 0`) by the index that a look-up of one row uses; in a join, a table that was small when
 * the statement was planned would be scanned as a whole.
 */
export function selectJoined(
  selected: Lookup['selected'],
  shape: RowShape,
): Query<Readonly<Record<string, Value>>, Joined> {
  const { table, columns } = shape
  const shown = selected === null ? null : [...new Set([...selected, ...columns])]
  const name = `select joined ${table} ${columns.join()} ${shown === null ? '' : shown.join()}`
  return selectEach(name, shape, () => {
    const names = shown === null ? sql`*` : sql.join(shown.map((column) => sql.ref(column)))
    const equal = sql.join(
      columns.map((column) => sql`${sql.ref(`one.${column}`)} = ${sql.ref(`sought.${column}`)}`),
      sql` and `,
    )
    return sql`select ${names} from ${sql.table(table)} as one where ${equal} offset 0`
  })
}

/** The rows that a read finds for each of the given rows, whose columns are those that it compares. `text` is the read's. */
export function selectFew(
  text: string,
  few: SelectQueryNode,
  where: Columns,
  shape: RowShape,
): Query<Readonly<Record<string, Value>>, Joined> {
  return selectEach(`select few ${text}`, shape, () => {
    const tree = new WithSought(where).transformNode(few)
    return sql`${{ toOperationNode: () => tree }}`
  })
}

/** Finds rows for each of the given rows, which `inner` names `sought`. */
function selectEach(
  name: string,
  shape: RowShape,
  inner: () => RawBuilder<unknown>,
): Query<Readonly<Record<string, Value>>, Joined> {
  const query: Query<Readonly<Record<string, Value>>, Joined> = shapedQuery(name, (db, p: Placeholder<Joined>) => {
    const text = sql`select found.* from (${rowsOf(shape, p)}) as sought cross join lateral (${inner()}) as found`
    // The composed text returns the rows that the query declares.
    return { compile: () => text.compile(db) } as never
  })
  joined.add(query)
  return query
}

/** Compares columns with those of the given rows in place of values. */
class WithSought extends OperationNodeTransformer {
  private readonly columns: ReadonlyMap<unknown, string>

  constructor(where: Columns) {
    super()
    this.columns = new Map([...where].map(([column, value]) => [value, column]))
  }

  protected override transformValue(node: ValueNode): ValueNode {
    const column = node.immediate === true ? undefined : this.columns.get(node.value)
    if (column === undefined) return node
    // A reference may stand where a value does.
    return ReferenceNode.create(ColumnNode.create(column), TableNode.create('sought')) as never
  }
}
