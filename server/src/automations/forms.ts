/** What a form asks, and the answers as expressions see them (contract/16#forms). */
import { isRecord } from './shape.ts'

export const form_field_kinds = ['short_text', 'long_text', 'select', 'number', 'date', 'checkbox', 'email'] as const

type FormFieldKind = (typeof form_field_kinds)[number]

export interface FormField {
  readonly key: string
  readonly label: string
  readonly kind: FormFieldKind
  readonly required?: boolean
  readonly hint?: string
  readonly options?: readonly string[]
}

/** An answer with the field as it was when the form was sent. `value` is null if the field was left empty. */
export interface FormAnswer {
  readonly key: string
  readonly label: string
  readonly kind: FormFieldKind
  readonly value: string | number | boolean | null
}

/** The name of the second value of a date: its first second in UTC. */
export function momentKey(key: string): string {
  return `${key}_at`
}

/** The answers by key. A date also has `<key>_at`, in Unix seconds, for fields such as due dates. */
export function formValues(answers: readonly FormAnswer[]): Record<string, FormAnswer['value']> {
  const values: Record<string, FormAnswer['value']> = {}
  for (const { key, kind, value } of answers) {
    values[key] = value
    if (kind !== 'date') continue
    values[momentKey(key)] = typeof value === 'string' ? Date.parse(`${value}T00:00:00Z`) / 1000 : null
  }
  return values
}

/** The CEL types of a form's answers by key. `fields` may still have faults; what is malformed has no type. */
export function formTypes(fields: unknown): Record<string, string> {
  const types: Record<string, string> = {}
  for (const field of Array.isArray(fields) ? fields : []) {
    if (!isRecord(field) || typeof field.key !== 'string' || !/^[a-z][a-z0-9_]*$/.test(field.key)) continue
    const { key, kind, required } = field
    types[key] = typeOf(kind, required === true)
    if (kind === 'date') types[momentKey(key)] = required === true ? 'int' : 'dyn'
  }
  return types
}

/** An optional answer may be null; a number is an int or a double. */
function typeOf(kind: unknown, isRequired: boolean): string {
  if (kind === 'checkbox') return 'bool'
  return isRequired && kind !== 'number' ? 'string' : 'dyn'
}
