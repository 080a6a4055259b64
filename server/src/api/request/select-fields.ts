/** `fields=`: items with exactly the named top-level fields (contract/06#field-selection). */
import { capitalized, withArticle } from '../../lib/sentence.ts'
import { refuse } from '../declare/errors.ts'
import type { AnyNoun } from '../declare/noun.ts'
import { quoted, suggest } from '../declare/quoted.ts'

/** Refuses a field that the noun does not have. */
export function requireFields(noun: AnyNoun, fields: readonly string[]): void {
  for (const field of fields) {
    if (!Object.hasOwn(noun.schema.properties, field)) {
      throw refuse('invalid_query_parameter', {
        param: 'fields',
        message: `${capitalized(withArticle(noun.object))} has no field ${quoted(field)}.${suggest(field, Object.keys(noun.schema.properties))}`,
      })
    }
  }
}

export function selectFields(item: object, fields: readonly string[]): object {
  const selected: Record<string, unknown> = {}
  for (const field of fields) selected[field] = (item as Record<string, unknown>)[field]
  return selected
}
