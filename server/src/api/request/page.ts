/**
 * Pages of lists: newest first, by keyset and never by offset. Reads one row more than a page shows, which answers
 * `has_more` without counting. Deleted rows stay in their tables, so a cursor of a deleted object still works
 * (contract/06#id-cursors).
 */
import { sql } from 'kysely'
import { isOneOf } from '../../db/dialect.ts'
import {
  type ComposedValues,
  literal,
  type ResourceTable,
  selectRows,
  shapedQuery,
  type Value,
} from '../../db/query.ts'
import type { Schema } from '../../db/schema.ts'
import type { Caller } from '../declare/caller.ts'
import { refuse } from '../declare/errors.ts'
import { type AnyNoun, type Noun, type NounRow, seenValues } from '../declare/noun.ts'
import type { ListContext } from '../declare/operation.ts'
import type { Page, PageQuery } from '../declare/page-shape.ts'
import { limits } from '../limits.ts'
import { type CursorBinding, makeCursor, readCursor } from './cursor.ts'

/** The page that a request asks for. */
export interface PageRequest {
  readonly limit: number
  readonly cursor: string | null
  readonly backwards: boolean
  readonly param: 'starting_after' | 'ending_before'
}

/** The requested page. `validate.ts` has refused both cursors together. */
export function readPageRequest(query: PageQuery): PageRequest {
  const { starting_after, ending_before } = query
  return {
    limit: query.limit ?? limits.page_limit_default,
    cursor: starting_after ?? ending_before ?? null,
    backwards: ending_before !== undefined,
    param: ending_before === undefined ? 'starting_after' : 'ending_before',
  }
}

/**
 * Removes the extra row and puts the page into list order. `next_cursor` belongs to the last row read: reading backwards
 * it is the first item's and continues as `ending_before` (contract/06#backward-paging).
 */
export function toPage<Row>(
  rows: readonly Row[],
  page: PageRequest,
  show: (row: Row) => object,
  cursorOf: (row: Row) => string,
): Page {
  const has_more = rows.length > page.limit
  const kept = has_more ? rows.slice(0, page.limit) : rows
  const last = kept.at(-1)
  const data = kept.map(show)
  if (page.backwards) data.reverse()
  return { data, has_more, next_cursor: has_more && last !== undefined ? cursorOf(last) : null }
}

type Filter = string | null | readonly string[] | undefined

interface ListById<Row> {
  /** Conditions on columns: equal to a value, to one of several, or null. `undefined` means no condition. */
  readonly where?: Readonly<Record<string, Filter>>
  /** Columns of `where` that never change in a row. A cursor with another value does not match the filter. */
  readonly fixed?: readonly string[]
  readonly show?: (row: Row) => object
  /** The list is below an object of the path, which the caller sees with all of its rows. */
  readonly isBelow?: true
}

/** A page of a resource's live rows in descending id order. */
export async function listById<T extends ResourceTable>(
  context: Pick<ListContext<object, unknown>, 'reader' | 'caller' | 'query'>,
  noun: Noun<Schema[T]>,
  options: ListById<Schema[T]> = {},
): Promise<Page> {
  const { reader, caller } = context
  const page = readPageRequest(context.query as PageQuery)
  const where = Object.entries(options.where ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const guest = options.isBelow ? null : guestCondition(noun, caller)
  if (page.cursor !== null) {
    const row = (await noun.find(reader, caller, page.cursor)) as (NounRow & Record<string, unknown>) | undefined
    checkCursor(row, page, where, options.fixed ?? ['workspace'])
  }
  const forms = where.map(([name, value]) => `${name}${value === null ? '0' : Array.isArray(value) ? '*' : '1'}`)
  const shape = `list ${noun.table} ${forms.join()} ${page.cursor === null ? '' : page.param} ${page.limit} ${guest?.column ?? ''}`
  const query = shapedQuery<Schema[T], ComposedValues & { realm: number; cursor: string }>(shape, (db, p, dialect) => {
    let select = selectRows(db, noun.table as T)
      .where('realm', '=', p('realm'))
      .where('deleted_at', 'is', null)
    for (const [name, value] of where) {
      const column = sql.ref(name)
      if (value === null) select = select.where(column, 'is', null)
      else if (Array.isArray(value)) select = select.where(isOneOf(dialect, name, p(name)))
      else select = select.where(column, '=', p(name))
    }
    if (guest !== null) select = select.where(isOneOf(dialect, guest.column, p('guest')))
    if (page.cursor !== null) select = select.where('id', page.backwards ? '>' : '<', p('cursor'))
    return select.orderBy('id', page.backwards ? 'asc' : 'desc').limit(literal(page.limit + 1))
  })
  const values: { [name: string]: Value; realm: number; cursor: string } = {
    realm: caller.realm,
    cursor: page.cursor ?? '',
    ...(guest === null ? {} : { guest: guest.ids }),
  }
  for (const [name, value] of where)
    values[name] = typeof value === 'object' && value !== null ? JSON.stringify(value) : value
  const rows = await reader.all(query, values)
  return toPage(rows, page, options.show ?? noun.show, (row) => (row as NounRow).id)
}

/**
 * The condition that limits a list to what a guest sees; null for other callers. A list of a noun that has no such column needs a
 * query of its own.
 */
function guestCondition(noun: AnyNoun, caller: Caller): { readonly column: string; readonly ids: string } | null {
  const { guest } = caller
  if (guest === null) return null
  const rule = noun.guests
  if (rule === undefined || !('column' in rule))
    throw refuse('insufficient_scope', { message: 'This list is not for guests.' })
  return { column: rule.column, ids: JSON.stringify([...seenValues(rule.of, guest, caller)]) }
}

function checkCursor(
  row: (NounRow & Record<string, unknown>) | undefined,
  page: PageRequest,
  where: readonly (readonly [string, Filter])[],
  fixed: readonly string[],
): void {
  if (row === undefined || row.id !== page.cursor) throw refuse('cursor_invalid', { param: page.param })
  for (const [name, value] of where) {
    if (!fixed.includes(name)) continue
    const found = row[name] as string | null
    if (Array.isArray(value) ? !value.includes(found) : found !== value) {
      throw refuse('cursor_filter_mismatch', { param: page.param })
    }
  }
}

interface OpaqueList<Row> {
  readonly binding: CursorBinding
  /** Reads at most `count` rows after the position, or from the start. */
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
  const page: PageRequest = { limit, cursor: null, backwards: false, param: 'starting_after' }
  return toPage(rows, page, list.show, (row) => makeCursor(sealer, list.binding, list.positionOf(row)))
}
