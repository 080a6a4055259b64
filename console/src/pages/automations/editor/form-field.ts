/** The fields of a form in a graph that is being written. */

export interface FormFieldDraft {
  readonly key: string
  readonly label: string
  readonly kind: string
  readonly required?: boolean
  readonly hint?: string
  readonly options?: readonly string[]
}

export function formFieldsOf(value: unknown): readonly FormFieldDraft[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : []
}
