/** Reads what was sent with a form into typed answers (contract/16#forms). */
import type { FormAnswer, FormField } from '../../../automations/forms.ts'
import { automation_limits } from '../../../automations/limits.ts'

export type AnswerFault = 'required' | 'too_long' | 'not_plain' | 'no_option' | 'no_number' | 'no_date' | 'no_email'

export interface ReadAnswers {
  readonly answers: readonly FormAnswer[]
  /** What is wrong, by the key of the field; the answers count only if it is empty. */
  readonly faults: ReadonlyMap<string, AnswerFault>
}

/** `sent` has a text for each key; a missing one is an empty answer. */
export function readAnswers(fields: readonly FormField[], sent: ReadonlyMap<string, string>): ReadAnswers {
  const faults = new Map<string, AnswerFault>()
  const answers = fields.map((field): FormAnswer => {
    const { key, label, kind } = field
    const read = readAnswer(field, (sent.get(key) ?? '').replaceAll('\r\n', '\n').trim())
    if ('fault' in read) faults.set(key, read.fault)
    return { key, label, kind, value: 'fault' in read ? null : read.value }
  })
  return { answers, faults }
}

type Read = { readonly value: FormAnswer['value'] } | { readonly fault: AnswerFault }

function readAnswer(field: FormField, text: string): Read {
  if (field.kind === 'checkbox') {
    return field.required === true && text === '' ? { fault: 'required' } : { value: text !== '' }
  }
  if (text === '') return field.required === true ? { fault: 'required' } : { value: null }
  const most = charsMax(field)
  if (text.length > most) return { fault: 'too_long' }
  if (text.includes('\0') || !text.isWellFormed()) return { fault: 'not_plain' }
  return readers[field.kind](text, field)
}

/** The most characters of an answer. */
export function charsMax({ kind }: Pick<FormField, 'kind'>): number {
  return kind === 'long_text'
    ? automation_limits.automation_form_long_chars_max
    : automation_limits.automation_form_short_chars_max
}

const readers: Readonly<Record<Exclude<FormField['kind'], 'checkbox'>, (text: string, field: FormField) => Read>> = {
  short_text: (text) => (/[\n\r]/.test(text) ? { fault: 'not_plain' } : { value: text }),
  long_text: (value) => ({ value }),
  select: (value, { options = [] }) => (options.includes(value) ? { value } : { fault: 'no_option' }),
  number: (text) => {
    const value = /^[+-]?\d{1,15}([.,]\d{1,10})?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN
    return Number.isFinite(value) ? { value: value === 0 ? 0 : value } : { fault: 'no_number' }
  },
  date: (value) => (isDate(value) ? { value } : { fault: 'no_date' }),
  email: (value) => (/^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;.]+$/.test(value) ? { value } : { fault: 'no_email' }),
}

/** Whether the text is a day of the calendar from 1900 to 2999, as `YYYY-MM-DD`. */
function isDate(text: string): boolean {
  if (!/^(19|2\d)\d\d-\d\d-\d\d$/.test(text)) return false
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}
