/** `custom_fields` and `extra_fields` are merged by key; null removes a key (contract/01#custom-fields). */
import { limits } from '../limits.ts'
import { refuse } from './errors.ts'

type Fields = Readonly<Record<string, unknown>>

export function mergeCustomFields(current: Fields, sent: Fields): Record<string, unknown> {
  const merged = { ...current, ...sent }
  for (const key in merged) if (merged[key] === null) delete merged[key]
  return merged
}

/** The column's JSON after a change. Refuses too many keys, naming the field. */
export function mergedText(current: string, sent: Fields, param: string): string {
  const merged = mergeCustomFields(JSON.parse(current) as Fields, sent)
  if (Object.keys(merged).length <= limits.custom_fields_max) return JSON.stringify(merged)
  const message = `${param} would have more than ${limits.custom_fields_max} keys.`
  throw refuse('invalid_request_body', { param, message })
}
