/** Faults of a form that a schema cannot express: fields with the same name, and options where they belong. */
import { momentKey } from '../forms.ts'
import { at, isRecord } from '../shape.ts'

type AddFault = (param: string, what: string) => void

export function formFaults(
  { title, fields }: Readonly<Record<string, unknown>>,
  path: string,
  addFault: AddFault,
): void {
  if (isBlank(title)) addFault(at(path, 'title'), 'must not be empty')
  const taken = new Set<string>()
  for (const [i, field] of (Array.isArray(fields) ? fields : []).entries()) {
    if (isRecord(field)) checkField(field, at(at(path, 'fields'), i), taken, addFault)
  }
}

function checkField(
  { key, label, kind, options }: Readonly<Record<string, unknown>>,
  path: string,
  taken: Set<string>,
  addFault: AddFault,
): void {
  if (isBlank(label)) addFault(at(path, 'label'), 'must not be empty')
  if (typeof key === 'string') {
    const names = kind === 'date' ? [key, momentKey(key)] : [key]
    const repeated = names.find((name) => taken.has(name))
    if (repeated !== undefined)
      addFault(at(path, 'key'), `must differ from those of other fields: form.${repeated} exists`)
    for (const name of names) taken.add(name)
  }
  if (kind === 'select' && options === undefined) addFault(at(path, 'options'), 'is required for a select')
  if (kind !== 'select' && options !== undefined) addFault(at(path, 'options'), 'is only for a select')
  for (const [i, option] of (Array.isArray(options) ? options : []).entries()) {
    if (isBlank(option) || (typeof option === 'string' && option !== option.trim())) {
      addFault(at(at(path, 'options'), i), 'must not be empty or begin or end with a space')
    }
  }
}

function isBlank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === ''
}
