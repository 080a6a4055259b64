/**
 * Updates of cached data: optimistic changes, answers of writes, and live events. An object is updated as a single object
 * and in every list. A list is cached in one of three forms: an array, a page, or pages.
 */
import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { keys } from './keys.ts'
import type { Mode } from './shapes.ts'

export interface ApiObject {
  readonly id: string
  readonly object: string
  readonly revision?: number
}

export type Change =
  | { readonly kind: 'patch'; readonly noun: string; readonly id: string; readonly fields: object }
  | { readonly kind: 'remove'; readonly noun: string; readonly id: string }

/** Changes some fields of an object. */
export function patch(noun: string, id: string, fields: object): Change {
  return { kind: 'patch', noun, id, fields }
}

/** Removes an object. */
export function remove(noun: string, id: string): Change {
  return { kind: 'remove', noun, id }
}

type Row = Readonly<Record<string, unknown>> & { readonly id: string }
type EditRows = (rows: readonly Row[]) => readonly Row[]

/** Applies `edit` to the rows of a list in any of its forms. Returns the same value if nothing changed. */
export function editRows(data: unknown, edit: EditRows): unknown {
  if (Array.isArray(data)) return edit(data as Row[])
  if (typeof data !== 'object' || data === null) return data
  if ('pages' in data && Array.isArray(data.pages)) {
    const pages = data.pages.map((page) => editRows(page, edit))
    return pages.every((page, i) => page === (data.pages as unknown[])[i]) ? data : { ...data, pages }
  }
  if ('data' in data && Array.isArray(data.data)) {
    const rows = edit(data.data as Row[])
    return rows === data.data ? data : { ...data, data: rows }
  }
  return data
}

/** Restores what a change replaced. */
export type Rollback = () => void

/** Applies changes before the server has answered. */
export function applyChanges(client: QueryClient, mode: Mode, changes: readonly Change[]): Rollback {
  const before: [QueryKey, unknown][] = []
  for (const change of changes) {
    for (const [key, data] of client.getQueriesData({ queryKey: keys.noun(mode, change.noun) })) {
      const next = key[2] === 'one' ? changedOne(data, change) : editRows(data, (rows) => changedRows(rows, change))
      if (next === data) continue
      before.push([key, data])
      client.setQueryData(key, next)
    }
  }
  return () => {
    for (const [key, data] of before.toReversed()) client.setQueryData(key, data)
  }
}

function changedOne(data: unknown, change: Change): unknown {
  const isSame = (data as Row | undefined)?.id === change.id
  return isSame && change.kind === 'patch' ? { ...(data as Row), ...change.fields } : data
}

function changedRows(rows: readonly Row[], change: Change): readonly Row[] {
  if (!rows.some(({ id }) => id === change.id)) return rows
  if (change.kind === 'remove') return rows.filter(({ id }) => id !== change.id)
  return rows.map((row) => (row.id === change.id ? { ...row, ...change.fields } : row))
}

/** Merges the server's current state of an object, unless the cached one has a higher revision. */
export function mergeObject(client: QueryClient, mode: Mode, object: ApiObject): void {
  for (const [key, data] of client.getQueriesData({ queryKey: keys.noun(mode, object.object) })) {
    const next = key[2] === 'one' ? mergedRow(data as Row | undefined, object) : editRows(data, withObject(object))
    if (next !== data) client.setQueryData(key, next)
  }
}

function withObject(object: ApiObject): EditRows {
  return (rows) => (rows.some(({ id }) => id === object.id) ? rows.map((row) => mergedRow(row, object) as Row) : rows)
}

/** Merges only the fields that the row has: a list may have been read with a selection of fields. */
function mergedRow(row: Row | undefined, object: ApiObject): Row | undefined {
  if (row === undefined || row.id !== object.id) return row
  if (typeof row.revision === 'number' && (object.revision ?? row.revision) < row.revision) return row
  const known = Object.entries(object).filter(([name]) => name in row)
  return { ...row, ...Object.fromEntries(known) }
}

/** The cached object, from a single read or from any list. */
export function findCached<T extends ApiObject>(
  client: QueryClient,
  mode: Mode,
  noun: string,
  id: string,
): T | undefined {
  for (const [key, data] of client.getQueriesData({ queryKey: keys.noun(mode, noun) })) {
    if (key[2] === 'one') {
      if ((data as ApiObject | undefined)?.id === id) return data as T
      continue
    }
    let row: T | undefined
    editRows(data, (rows) => {
      row ??= rows.find((each) => each.id === id) as T | undefined
      return rows
    })
    if (row !== undefined) return row
  }
  return undefined
}

export function isApiObject(value: unknown): value is ApiObject & { readonly deleted?: true } {
  return typeof value === 'object' && value !== null && 'object' in value && 'id' in value
}
