/** A waiting write in words: "Change status of HF-12 Seat map", "New task “Price the seats”". */
import type { Entry } from '../data/outbox.ts'
import { capitalized, inWords } from '../design/words.ts'

const name_max = 80

export function entryText({ method, path, body, subject }: Entry): string {
  const parts = (path.split('?')[0] ?? '').split('/').slice(2)
  const [collection = '', id, nested, nestedId] = parts
  const noun = singular(nested !== undefined && (nestedId !== undefined || method === 'DELETE') ? nested : collection)
  const fields = parsed(body)
  const of = subject ?? (id === undefined ? '' : `a ${noun}`)
  if (id === 'bulk' && Array.isArray(fields.tasks)) {
    return `${fields.delete === true ? 'Delete' : 'Change'} ${counted(fields.tasks.length, noun)}`
  }
  if (method === 'DELETE') return `Delete ${subject === null ? `a ${noun}` : `${noun} ${subject}`}`
  if (method === 'PATCH') return `Change ${Object.keys(fields).map(fieldText).join(', ')} of ${of}`
  if (id === undefined) return `New ${noun}${quoted(fields)}`
  if (nested?.endsWith('s')) return `New ${singular(nested)}${quoted(fields)}`
  return `${capitalized(inWords(nested ?? 'change'))} ${of}`
}

/** `status: in progress` */
export function valueText(name: string, value: unknown): string {
  const shown =
    value === null || value === undefined
      ? 'nothing'
      : typeof value === 'string'
        ? inWords(value)
        : JSON.stringify(value)
  return `${fieldText(name)} to “${cut(shown)}”`
}

function fieldText(name: string): string {
  return inWords(name.split('.').at(-1) ?? name).toLowerCase()
}

function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`
}

function singular(collection: string): string {
  return inWords(collection.replace(/ies$/, 'y').replace(/s$/, '')).toLowerCase()
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
