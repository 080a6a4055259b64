/** Objects named inside a request: they must exist and be usable where they are named (decisions §2). */
import type { Reader } from '../db/store.ts'
import type { Caller } from './caller.ts'
import { refuse } from './errors.ts'
import type { Noun, NounRow } from './noun.ts'
import type { Operation } from './operation.ts'

/**
 * The live row that a body's field names, in the given workspace where one is given. Otherwise 400
 * `invalid_request_body` with the field's path: foreign, deleted, elsewhere and never existed look the same.
 */
export async function findReference<Row>(
  noun: Noun<Row>,
  from: { readonly tx: Reader; readonly caller: Caller },
  id: string,
  param: string,
  workspace?: string,
): Promise<Row> {
  const row = (await noun.find(from.tx, from.caller, id)) as (Row & NounRow) | undefined
  const usable = row !== undefined && !row.deleted_at && (workspace === undefined || row.workspace === workspace)
  if (!usable)
    throw refuse('invalid_request_body', { param, message: `${param} names no ${noun.object} that can be used here.` })
  return row
}

const referring = new WeakMap<Operation, readonly string[]>()

/** The parameters of an operation that name objects. */
function referringParameters(operation: Operation): readonly string[] {
  let names = referring.get(operation)
  if (names === undefined) {
    names = Object.keys(operation.query).filter((name) => operation.query[name]?.refers !== undefined)
    referring.set(operation, names)
  }
  return names
}

/** Refuses a list's or count's filter that names an unknown object: 400 `invalid_query_parameter`. */
export async function checkFilters(
  operation: Operation,
  reader: Reader,
  caller: Caller,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const name of referringParameters(operation)) {
    const noun = operation.query[name]?.refers
    const value = values[name] as string | readonly string[] | undefined
    if (noun === undefined || value === undefined) continue
    for (const id of typeof value === 'string' ? [value] : value) {
      if (id === 'null' && operation.query[name]?.many) continue
      const row = await noun.find(reader, caller, id)
      if (row === undefined || row.deleted_at) {
        throw refuse('invalid_query_parameter', { param: name, message: `${name} names no ${noun.object}.` })
      }
    }
  }
}
