/**
 * Whether a value fits a custom field, and where it stands in the order of the field (contract/15#custom-field-values).
 * Pure: whether a person is an active member is looked up by the caller.
 */
import type { CustomFieldRow } from '../../../db/schema.ts'
import { nearest } from '../../../lib/nearest.ts'
import type { FieldOption, FieldType } from '../custom_field.ts'

/** A field as values need it. */
export interface FieldRule {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly type: FieldType
  readonly options: readonly FieldOption[]
}

export function fieldRule(row: CustomFieldRow): FieldRule {
  const { id, key, name, type } = row
  return { id, key, name, type: type as FieldType, options: JSON.parse(row.options) as FieldOption[] }
}

/** Options named in a refusal. */
const named_options_max = 10

const date_form = /^(\d{4})-(\d{2})-(\d{2})$/

/** Whether a text is a date of the calendar, `YYYY-MM-DD` (contract/01#calendar-dates). */
export function isCalendarDate(text: string): boolean {
  if (!date_form.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  // The 30th of February is read as a day of March.
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text
}

/** What fits the field, if the value does not; null if it does. A person is only checked to be a text. */
export function valueAdvice(field: FieldRule, value: unknown): string | null {
  switch (field.type) {
    case 'text':
      return typeof value === 'string' ? null : 'Use a text.'
    case 'number':
      return typeof value === 'number' ? null : 'Use a number, without quotes.'
    case 'date':
      return typeof value === 'string' && isCalendarDate(value) ? null : 'Use a date such as 2026-12-01.'
    case 'checkbox':
      return typeof value === 'boolean' ? null : 'Use true or false.'
    case 'select':
      return isOption(field, value) ? null : optionAdvice(field, value, 'one of the options')
    case 'multi_select':
      return listAdvice(field, value)
    case 'person':
      return typeof value === 'string' ? null : 'Use the user id of an active member.'
    case 'url':
      return typeof value === 'string' && isWebAddress(value) ? null : 'Use an absolute address with http or https.'
  }
}

function isOption({ options }: FieldRule, value: unknown): boolean {
  return options.some(({ id }) => id === value)
}

function listAdvice(field: FieldRule, value: unknown): string | null {
  if (!Array.isArray(value)) return optionAdvice(field, undefined, 'a list of options')
  const wrong = value.find((each) => !isOption(field, each))
  if (wrong !== undefined) return optionAdvice(field, wrong, 'a list of options')
  return new Set(value).size === value.length ? null : 'Name each option once.'
}

/** Names the options, and the one that a similar text may mean. */
function optionAdvice({ options }: FieldRule, value: unknown, form: string): string {
  if (options.length === 0) return 'The field has no options.'
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  const named = options.find(({ name }) => name.toLowerCase() === text)?.id
  const ids = options.map(({ id }) => id)
  const meant = named ?? (text === '' ? null : nearest(text, ids))
  const listed = ids.slice(0, named_options_max).join(', ')
  const more = ids.length > named_options_max ? ` and ${ids.length - named_options_max} more` : ''
  return `${meant === null ? '' : `Did you mean ${meant}? `}Use ${form} by id: ${listed}${more}.`
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text)
}

export type FieldSortValue = string | number | null

/**
 * The place of a value in the order of the field: numbers by size, options by their order, `false` before `true`, texts
 * by code point. Null, which comes last, for a value that is missing or does not fit.
 */
export function fieldSortValue(field: FieldRule, value: unknown): FieldSortValue {
  if (value === undefined || value === null || valueAdvice(field, value) !== null) return null
  switch (field.type) {
    case 'number':
      return value as number
    case 'checkbox':
      return value === true ? 1 : 0
    case 'select':
      return field.options.findIndex(({ id }) => id === value)
    case 'multi_select':
      return listPlace(field, value as string[])
    default:
      return value as string
  }
}

/** The places of the options, first the first one, as a text that compares in the same order. */
function listPlace({ options }: FieldRule, value: readonly string[]): string | null {
  const places = value.map((each) => options.findIndex(({ id }) => id === each))
  if (places.length === 0) return null
  return places
    .sort((a, b) => a - b)
    .map((place) => String(place).padStart(3, '0'))
    .join()
}
