/** The values of custom fields: whether they fit, and how they are written as text. */
import type { CustomField, Task } from '@atrium/sdk'
import { formatLanguage } from '../../design/time-format.ts'
import { shortDay } from '../../design/wall-time.ts'
import { t } from '../../language/index.ts'

export type FieldValue = Task['custom_fields'][string]

/** A person as a value needs it. */
export interface People {
  readonly isActive: (user: string) => boolean
  readonly nameOf: (user: string) => string
}

export const field_types = [
  { value: 'text', label: t('Text') },
  { value: 'number', label: t('Number') },
  { value: 'date', label: t('Date') },
  { value: 'checkbox', label: t('Checkbox') },
  { value: 'select', label: t('Select') },
  { value: 'multi_select', label: t('Multi-select') },
  { value: 'person', label: t('Person') },
  { value: 'url', label: t('Link') },
] as const

export type FieldType = (typeof field_types)[number]['value']

export function typeName(type: string): string {
  return field_types.find(({ value }) => value === type)?.label ?? type
}

export function hasOptions(type: string): boolean {
  return type === 'select' || type === 'multi_select'
}

export function optionOf(field: CustomField, id: unknown) {
  return field.options.find((option) => option.id === id)
}

/** Whether the server would accept the value today. */
export function isFitting(field: CustomField, value: FieldValue, people: People): boolean {
  switch (field.type) {
    case 'number':
      return typeof value === 'number'
    case 'checkbox':
      return typeof value === 'boolean'
    case 'select':
      return optionOf(field, value) !== undefined
    case 'multi_select':
      return Array.isArray(value) && value.every((id) => optionOf(field, id) !== undefined)
    case 'date':
      return typeof value === 'string' && isDay(value)
    case 'person':
      return typeof value === 'string' && people.isActive(value)
    case 'url':
      return typeof value === 'string' && isWebAddress(value)
    default:
      return typeof value === 'string'
  }
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)
}

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** A value in words, as a person reads it. */
export function valueText(field: CustomField, value: FieldValue, people: People): string {
  if (Array.isArray(value)) return value.map((id) => optionOf(field, id)?.name ?? id).join(', ')
  if (typeof value === 'number') return value.toLocaleString(formatLanguage())
  if (typeof value === 'boolean') return value ? t('Yes') : t('No')
  if (value === null) return ''
  if (field.type === 'select') return optionOf(field, value)?.name ?? value
  if (field.type === 'person') return people.nameOf(value)
  if (field.type === 'date' && isDay(value)) return shortDay(value)
  if (field.type === 'url' && isWebAddress(value)) return value.replace(/^https?:\/\//i, '').replace(/\/$/, '')
  return value
}
