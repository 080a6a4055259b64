/**
 * Lists: newest first, by key and never by offset. A page asks for one row more than it shows, so that `has_more` is
 * known without counting. Deleted rows stay in their tables, so a cursor whose object was deleted meanwhile still
 * works (contract §1.5, decisions §6).
 */
import { isOneOf } from '../db/dialect.ts'
import { literal, type ResourceTable, shapedQuery } from '../db/query.ts'
import type { Schema } from '../db/schema.ts'
import { limits } from '../lib/limits.ts'
import { type CursorBinding, makeCursor, readCursor } from './cursor.ts'
import { refuse } from './errors.ts'
import type { Noun, NounRow } from './noun.ts'
import type { ListContext } from './operation.ts'
import type { Page, PageQuery } from './page-shape.ts'

/** How a page by id is walked. */
export interface Walk {
  readonly limit: number
  readonly cursor: string | null
  readonly backwards: boolean
  readonly param: 'starting_after' | 'ending_before'
}

/** The walk that the parameters ask for; they never have both cursors (`validate.ts`). */
export function readWalk(query: PageQuery): Walk {
  const { starting_after, ending_before } = query
  return {
    limit: query.limit ?? limits.page_limit_default,
    cursor: starting_after ?? ending_before ?? null,
    backwards: ending_before !== undefined,
    param: ending_before === undefined ? 'starting_after' : 'ending_before',
  }
}

/**
 * Cuts the extra row off and puts the page in the list's order. `next_cursor` is the last item's in the direction
 * walked, so that walking backwards it is the first item's and is passed as `ending_before` again.
 */
export function toPage<Row>(
  rows: readonly Row[],
  walk: Walk,
  show: (row: Row) => object,
  cursorOf: (row: Row) => string,
): Page {
  const has_more = rows.length > walk.limit
  const kept = has_more ? rows.slice(0, walk.limit) : rows
  const last = kept.at(-1)
  const data = kept.map(show)
  if (walk.backwards) data.reverse()
  return { data, has_more, next_cursor: has_more && last !== undefined ? cursorOf(last) : null }
}

type Filter = string | null | readonly string[] | undefined

interface ListById<Row> {
  /** Columns that must equal a value, be one of several, or be null; `undefined` leaves a column free. */
  readonly where?: Readonly<Record<string, Filter>>
  /** The columns of `where` that never change in a row: a cursor of another value is a mismatch. */
  readonly fixed?: readonly string[]
  readonly show?: (row: Row) => object
}

/** A page of a resource's live rows by id, descending. */
export async function listById<T extends ResourceTable>(
  context: Pick<ListContext<object, unknown>, 'reader' | 'caller' | 'query'>,
  noun: Noun<Schema[T]>,
  options: ListById<Schema[T]> = {},
): Promise<Page> {
  const { reader, caller } = context
  const walk = readWalk(context.query as PageQuery)
  const where = Object.entries(options.where ?? {}).filter(([, value]) => value !== undefined)
  if (walk.cursor !== null) {
    const row = (await noun.find(reader, caller, walk.cursor)) as (NounRow & Record<string, unknown>) | undefined
    checkCursor(row, walk, where, options.fixed ?? ['workspace'])
  }
  const forms = where.map(([name, value]) => `${name}${value === null ? '0' : Array.isArray(value) ? '*' : '1'}`)
  const shape = `list ${noun.table} ${forms.join()} ${walk.cursor === null ? '' : walk.param} ${walk.limit}`
  const query = shapedQuery<Schema[T]>(shape, (db, p, dialect) => {
    let select = db
      .selectFrom(noun.table as 'tasks')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('deleted_at', 'is', null)
    for (const [name, value] of where) {
      const column = name as 'workspace'
      if (value === null) select = select.where(column, 'is', null)
      else if (Array.isArray(value)) select = select.where(isOneOf(dialect, name, p(name)))
      else select = select.where(column, '=', p(name))
    }
    if (walk.cursor !== null) select = select.where('id', walk.backwards ? '>' : '<', p('cursor'))
    return select.orderBy('id', walk.backwards ? 'asc' : 'desc').limit(literal(walk.limit + 1)) as never
  })
  const values: Record<string, unknown> = { realm: caller.realm, cursor: walk.cursor }
  for (const [name, value] of where) values[name] = Array.isArray(value) ? JSON.stringify(value) : value
  const rows = await reader.all(query, values)
  return toPage(rows, walk, options.show ?? noun.show, (row) => (row as NounRow).id)
}

function checkCursor(
  row: (NounRow & Record<string, unknown>) | undefined,
  walk: Walk,
  where: readonly (readonly [string, Filter])[],
  fixed: readonly string[],
): void {
  if (row === undefined || row.id !== walk.cursor) throw refuse('cursor_invalid', { param: walk.param })
  for (const [name, value] of where) {
    if (!fixed.includes(name)) continue
    const found = row[name] as string | null
    if (Array.isArray(value) ? !value.includes(found) : found !== value) {
      throw refuse('cursor_filter_mismatch', { param: walk.param })
    }
  }
}

interface OpaqueList<Row> {
  readonly binding: CursorBinding
  /** Reads at most `count` rows behind the position, or from the start. */
  readonly read: (position: (string | number)[] | null, count: number) => Promise<readonly Row[]> | readonly Row[]
  readonly show: (row: Row) => object
  readonly positionOf: (row: Row) => (string | number)[]
}

/** A page of a list with opaque cursors. */
export async function listByCursor<Row>(context: ListContext<object, unknown>, list: OpaqueList<Row>): Promise<Page> {
  const { sealer } = context.services
  const query = context.query as PageQuery
  const limit = query.limit ?? limits.page_limit_default
  const position = query.cursor === undefined ? null : readCursor(sealer, list.binding, query.cursor)
  const rows = await list.read(position, limit + 1)
  const walk: Walk = { limit, cursor: null, backwards: false, param: 'starting_after' }
  return toPage(rows, walk, list.show, (row) => makeCursor(sealer, list.binding, list.positionOf(row)))
}
