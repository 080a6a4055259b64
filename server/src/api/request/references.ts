/** References to objects inside a request: each must exist and be usable there (contract/02#references). */
import type { Reader } from '../../db/store.ts'
import { type Caller, guestOf, type Tenant } from '../declare/caller.ts'
import { refuse } from '../declare/errors.ts'
import type { Noun, NounRow } from '../declare/noun.ts'
import type { Operation } from '../declare/operation.ts'

/**
 * The live row that a field of a body references, in `workspace` if given. Otherwise refuses with 400
 * `invalid_request_body` and the field's path; foreign, deleted, elsewhere and missing look the same.
 */
export async function findReference<Row extends NounRow>(
  noun: Noun<Row>,
  from: { readonly tx: Reader; readonly caller: Tenant },
  id: string,
  param: string,
  workspace?: string,
): Promise<Row> {
  const row = await noun.find(from.tx, from.caller, id)
  const isClosed = noun.guests === undefined && guestOf(from.caller) !== null
  const usable =
    row !== undefined && !isClosed && !row.deleted_at && (workspace === undefined || row.workspace === workspace)
  if (usable) return row
  const instead = (await noun.instead?.(from.tx, from.caller, id)) ?? null
  const message = `${param} "${id}" names no ${noun.object} that can be used here.${instead === null ? '' : ` ${instead}`}`
  throw refuse('invalid_request_body', { param, message })
}

const referring_names = new WeakMap<Operation, readonly string[]>()

/** The parameters of an operation that reference objects. */
function referringParameters(operation: Operation): readonly string[] {
  let names = referring_names.get(operation)
  if (names === undefined) {
    names = Object.keys(operation.query).filter((name) => operation.query[name]?.refers !== undefined)
    referring_names.set(operation, names)
  }
  return names
}

/** Refuses a list filter that references an unknown object (contract/06#unknown-objects-in-filters). */
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
      if (row === undefined || row.deleted_at || (noun.guests === undefined && caller.guest !== null)) {
        const message = `${name} "${id}" names no ${noun.object}.`
        throw refuse('invalid_query_parameter', { param: name, message })
      }
    }
  }
}
