/** Reads the `filter` of tasks for lists, counts, exports and automations (contract/06#filter). */
import { actingUser, type Caller } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { Reader } from '../../../db/store.ts'
import { idPattern } from '../../../lib/ids.ts'
import { savedFilterNoun } from '../../saved_filters/saved_filter.ts'
import { type CheckedFilter, readFilter } from '../filter/check.ts'
import { comparesMe, resolveCustomFields } from '../filter/custom-fields.ts'
import type { FilterError } from '../filter/parse.ts'
import { namesMe, type ReferenceScope, resolveReferences } from '../filter/references.ts'

export { type CheckedFilter, readFilter } from '../filter/check.ts'
export { filter_grammar, short_filter_grammar } from '../filter/grammar.ts'
export { fieldOrder } from '../list/field-order.ts'
export { parseSort } from '../list/sort.ts'

const saved_filter_id = new RegExp(idPattern('flt'))

/**
 * The filter with ids in place of names. Refuses a name that fits nothing or several, and a value that a defined custom
 * field cannot have.
 */
export async function resolveFilter(
  filter: CheckedFilter,
  scope: ReferenceScope,
): Promise<CheckedFilter | FilterError> {
  const found = await resolveReferences(filter, scope)
  if (!found.ok) return found
  const custom = await resolveCustomFields(found.condition, scope)
  if ('message' in custom) return { ok: false, message: custom.message, position: 1 }
  return { ...found, condition: custom.condition }
}

/** Whether a filter is the id of a saved one instead of an expression. */
export const isSavedFilterId = (text: string) => saved_filter_id.test(text)

/** The caller of a request, its time in milliseconds, and its workspace. */
export interface FilterContext {
  readonly reader: Reader
  readonly caller: Caller
  readonly now: number
  readonly workspace?: string | undefined
}

/** `is_personal`: the filter contains `me`, so its result depends on the caller. */
export interface TaskFilter {
  readonly text: string
  readonly filter: CheckedFilter
  readonly is_personal: boolean
}

/**
 * Reads a filter: an expression, or the id of a saved filter that contains one. Refuses a malformed expression, an
 * impossible value and an unknown saved filter with 400 and `param: "filter"`.
 */
export async function readTaskFilter(
  { reader, caller, now, workspace }: FilterContext,
  sent: string,
  code: 'invalid_query_parameter' | 'invalid_request_body' = 'invalid_query_parameter',
): Promise<TaskFilter> {
  let text = sent
  if (isSavedFilterId(sent)) {
    const saved = await savedFilterNoun.find(reader, caller, sent)
    if (saved === undefined || saved.deleted_at !== null) {
      throw refuse(code, { param: 'filter', message: `filter "${sent}" names no saved filter.` })
    }
    text = saved.filter
  }
  const read = readFilter(text, now)
  if (!read.ok) throw refuse(code, { param: 'filter', message: read.message })
  const filter = await resolveFilter(read, { reader, tenant: caller, workspace, now, me: actingUser(caller) })
  if (!filter.ok) throw refuse(code, { param: 'filter', message: filter.message })
  return { text, filter, is_personal: namesMe(read.condition) || comparesMe(read.condition) }
}
