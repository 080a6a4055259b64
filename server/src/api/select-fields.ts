/** `fields=`: items with exactly the named top-level fields, and the list marked so (contract §2.6, decisions §6). */
import { refuse } from './errors.ts'
import type { AnyNoun } from './noun.ts'

/** Refuses a name that the noun does not have. */
export function requireFields(noun: AnyNoun, fields: readonly string[]): void {
  for (const field of fields) {
    if (!Object.hasOwn(noun.schema.properties, field)) {
      throw refuse('invalid_query_parameter', {
        param: 'fields',
        message: `A ${noun.object} has no field "${field.slice(0, 80)}".`,
      })
    }
  }
}

export function selectFields(item: object, fields: readonly string[]): object {
  const selected: Record<string, unknown> = {}
  for (const field of fields) selected[field] = (item as Record<string, unknown>)[field]
  return selected
}
