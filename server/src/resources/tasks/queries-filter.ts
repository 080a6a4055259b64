/** The `filter` and `sort` of tasks for whoever takes them: lists, counts, exports, saved filters (decisions §6). */
import type { Caller } from '../../api/caller.ts'
import { refuse } from '../../api/errors.ts'
import type { Reader } from '../../db/store.ts'
import { idPattern } from '../../lib/ids.ts'
import { savedFilterNoun } from '../saved_filters/saved_filter.ts'
import { type CheckedFilter, readFilter } from './filter/check.ts'

export { readFilter } from './filter/check.ts'
export { parseSort } from './sort.ts'

const saved_filter_id = new RegExp(idPattern('flt'))

/**
 * The filter that a text means: an expression, or the id of a saved filter whose expression is taken. Refused with 400
 * in the name of `filter`: a faulty expression with the position, an unknown saved filter.
 */
export async function readTaskFilter(
  from: { readonly reader: Reader; readonly caller: Caller },
  text: string,
  code: 'invalid_query_parameter' | 'invalid_request_body' = 'invalid_query_parameter',
): Promise<{ readonly text: string; readonly filter: CheckedFilter }> {
  let expression = text
  if (saved_filter_id.test(text)) {
    const saved = await savedFilterNoun.find(from.reader, from.caller, text)
    if (saved === undefined || saved.deleted_at !== null || saved.visibility !== 'team') {
      throw refuse(code, { param: 'filter', message: 'filter names no saved filter.' })
    }
    expression = saved.filter
  }
  const filter = readFilter(expression)
  if (!filter.ok) throw refuse(code, { param: 'filter', message: filter.message })
  return { text: expression, filter }
}
