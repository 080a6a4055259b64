/** A waiting write in words: "Change status of HF-12 Seat map", "New task “Price the seats”". */
import type { Entry } from '../data/outbox.ts'
import { capitalized, inWords } from '../design/words.ts'
import { inSentence, t } from '../language/index.ts'

const name_max = 80

export function entryText({ method, path, body, subject }: Entry): string {
  const parts = (path.split('?')[0] ?? '').split('/').slice(2)
  const [collection = '', id, nested, nestedId] = parts
  const noun = singular(nested !== undefined && (nestedId !== undefined || method === 'DELETE') ? nested : collection)
  const fields = parsed(body)
  const of = subject ?? (id === undefined ? '' : t('a {noun}', { noun }))
  if (id === 'bulk' && Array.isArray(fields.tasks)) {
    return fields.delete === true
      ? t('Delete {counted}', { counted: counted(fields.tasks.length, noun) })
      : t('Change {counted}', { counted: counted(fields.tasks.length, noun) })
  }
  if (method === 'DELETE')
    return subject === null ? t('Delete a {noun}', { noun }) : t('Delete {noun} {subject}', { noun, subject })
  if (method === 'PATCH') return t('Change {map} of {of}', { map: Object.keys(fields).map(fieldText).join(', '), of })
  if (id === undefined) return t('New {noun}{fields}', { noun, fields: quoted(fields) })
  if (nested?.endsWith('s')) return t('New {singular}{fields}', { singular: singular(nested), fields: quoted(fields) })
  return `${capitalized(inWords(nested ?? 'change'))} ${of}`
}

/** `status: in progress` */
export function valueText(name: string, value: unknown): string {
  const shown =
    value === null || value === undefined
      ? t('nothing')
      : typeof value === 'string'
        ? inWords(value)
        : JSON.stringify(value)
  return t('{field} to “{cut}”', { field: fieldText(name), cut: cut(shown) })
}

function fieldText(name: string): string {
  return inSentence(inWords(name.split('.').at(-1) ?? name))
}

function counted(count: number, noun: string): string {
  return noun === 'task' || noun === t('Task')
    ? t('{count, plural, one {# task} other {# tasks}}', { count })
    : `${count} ${noun}`
}

function singular(collection: string): string {
  return inSentence(inWords(collection.replace(/ies$/, 'y').replace(/s$/, '')))
}

function quoted(fields: Readonly<Record<string, unknown>>): string {
  const name = fields.title ?? fields.name ?? fields.body ?? fields.text
  return typeof name === 'string' && name !== '' ? ` “${cut(name)}”` : ''
}

function cut(text: string): string {
  return text.length > name_max ? `${text.slice(0, name_max)}…` : text
}

function parsed(body: string | undefined): Readonly<Record<string, unknown>> {
  return body === undefined ? {} : (JSON.parse(body) as Record<string, unknown>)
}
