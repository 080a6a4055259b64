/** Lists: newest first, by id or opaque cursor, with all or selected fields. */
import type { Expected, Json } from './names.ts'
import type { Context, OperationModel } from './operation.ts'
import { badQuery, Refused } from './refused.ts'
import type { Thing } from './state.ts'

/** The position that an opaque cursor or sort token stands for. */
export interface ListPosition {
  readonly operation: string
  readonly mode: string
  /** Filters of the list, as text. */
  readonly filters: string
  /** The index, id or sort values after which the list continues. */
  readonly behind: Json
}

/** Cursors by name; each model has its own. */
const places = new WeakMap<object, Map<string, ListPosition>>()

export function cursorsOf(model: object): Map<string, ListPosition> {
  const known = places.get(model)
  if (known !== undefined) return known
  const made = new Map<string, ListPosition>()
  places.set(model, made)
  return made
}

/** An unknown object in a filter is a fault of the query. */
export function checkFilters({ model, realm, incoming, query, many }: Context): void {
  const { operation } = incoming
  const isFiltered = operation.paging !== null || operation.id === 'tasks.count'
  if (!isFiltered) return
  const missing = (kind: string, reference: string): boolean => {
    const found = model.seek(realm, kind, reference)
    return found === undefined || found.isDeleted
  }
  if (operation.parent === undefined && query.workspace !== undefined && missing('workspace', query.workspace))
    throw badQuery('workspace')
  const projects = [...(query.project === undefined ? [] : [query.project]), ...(many.project ?? [])]
  if (projects.some((each) => each !== 'null' && missing('project', each))) throw badQuery('project')
}

/** The fields that can be selected, for operations with `fields`. */
const shown = new Map<string, readonly string[]>()

export function shows(operation: string, fields: readonly string[]): void {
  shown.set(operation, fields)
}

/** Whether a list has all requested fields. */
export function showsFields(operation: OperationModel, sent: string | undefined): boolean {
  if (sent === undefined) return true
  const known = shown.get(operation.id) ?? []
  const names = sent.split(',')
  return names.length <= 50 && new Set(names).size === names.length && names.every((name) => known.includes(name))
}

export type Row = { readonly id: string; readonly shown: { readonly [name: string]: Expected } }

/** A page in the list's order, newest first by default. */
export function page(
  context: Context,
  rows: readonly Row[],
  isOf: (cursor: Thing) => boolean,
  kind: string,
  sought: (id: string) => Thing | undefined,
): { readonly [name: string]: Expected } {
  const { query } = context
  const size = Number(query.limit ?? 20)
  const sent = query.starting_after ?? query.ending_before
  const isBack = query.ending_before !== undefined
  if (sent !== undefined) {
    const param = isBack ? 'ending_before' : 'starting_after'
    const found = sought(sent)
    if (found === undefined || found.kind !== kind) throw new Refused('cursor_invalid', param)
    if (!isOf(found)) throw new Refused('cursor_filter_mismatch', param)
  }
  const sorted = rows.toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const left = sent === undefined ? sorted : sorted.filter(({ id }) => (isBack ? id > sent : id < sent))
  const taken = isBack ? left.slice(-size) : left.slice(0, size)
  const has_more = left.length > taken.length
  const next = has_more ? ((isBack ? taken[0] : taken.at(-1))?.id ?? null) : null
  return envelope(context, taken, has_more, next)
}

export function envelope({ incoming, query }: Context, rows: readonly Row[], has_more: boolean, next: string | null) {
  const { operation, params } = incoming
  const url = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) => params[name] as string)
  const fields = query.fields?.split(',')
  const data = rows.map((row) => (fields === undefined ? row.shown : selected(row.shown, fields)))
  const list = { object: 'list', url, has_more, next_cursor: next, data }
  return fields === undefined ? list : { ...list, fields_selected: true }
}

function selected(row: Row['shown'], fields: readonly string[]): Row['shown'] {
  return Object.fromEntries(fields.map((name) => [name, row[name] as Expected]))
}

/** A page with opaque cursors, newest first. */
export function cursorPage(context: Context, rows: readonly Row[], filters: Json) {
  const { query, incoming, model, realm } = context
  const { id: operation } = incoming.operation
  const known = cursorsOf(model)
  const text = JSON.stringify([incoming.params, filters])
  let left = rows
  if (query.cursor !== undefined) {
    const place = known.get(query.cursor)
    if (place === undefined || place.operation !== operation || place.mode !== realm.mode)
      throw new Refused('cursor_invalid', 'cursor')
    if (place.filters !== text) throw new Refused('cursor_filter_mismatch', 'cursor')
    const at = rows.findIndex(({ id }) => id === place.behind)
    left = rows.slice(at + 1)
  }
  const taken = left.slice(0, Number(query.limit ?? 20))
  const has_more = left.length > taken.length
  const next = has_more ? model.name('cursor') : null
  if (next !== null) known.set(next, { operation, mode: realm.mode, filters: text, behind: taken.at(-1)?.id ?? '' })
  return envelope(context, taken, has_more, next)
}
