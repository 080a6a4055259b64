/** Any CSV file, by a map from the fields of a task to its columns. */
import { limits } from '../api/limits.ts'
import { quoted } from '../lib/quoted.ts'
import type { CsvTable, Row } from './csv-row.ts'
import type { DateForm } from './dates.ts'
import type { Entry, Link, Source } from './draft.ts'
import { Drafting, given, once } from './drafting.ts'
import type { Advise } from './unusable.ts'
import { booleanOf, numberOf } from './values.ts'
import { priorityOf, statusOf, type Table, translated } from './vocabulary.ts'

/** The fields that a column can be mapped to, besides `custom_fields.NAME`. */
export const map_fields = [
  ...['title', 'description', 'status', 'priority', 'assignee', 'due_at', 'completed_at', 'labels'],
  ...['project', 'column', 'comment', 'key', 'blocked_by', 'blocks', 'created', 'creator'],
] as const

export type FieldType = 'text' | 'number' | 'boolean' | 'list'

/** The columns of a field. */
export interface Place {
  readonly columns: readonly number[]
  readonly name: string
  /** Of a custom field that the workspace does not define. */
  readonly type: FieldType
  readonly table: Table | undefined
}

/** The columns of each mapped field. */
export type Places = ReadonlyMap<string, Place>

export interface CsvOptions {
  readonly places: Places
  readonly dates: DateForm
  /** Between the labels of one cell. */
  readonly separator: string
}

/** A source of the mapped columns; `missingField` says whether they suffice. */
export function csvSource(csv: CsvTable, options: CsvOptions, advise: Advise): Source {
  const { places } = options
  const keyed = places.has('key')
  return {
    kind: 'csv',
    file: csv.file,
    name: csvName(csv.file),
    keyed,
    joinsProjects: true,
    advise,
    texts: {
      dates: options.dates,
      separator: options.separator,
      columnOf: (field) => places.get(field)?.name ?? field,
    },
    async *entries() {
      let ordinal = 0
      const seen = new Set<string>()
      for await (const row of csv.rows()) {
        ordinal++
        yield entryOf(row, `r${ordinal}`, options, keyed ? seen : null, advise)
      }
    },
  }
}

/** The field that the mapped ones need and that no column is mapped to; null if nothing is missing. */
export function missingField(places: Places): 'title' | 'key' | null {
  if (!places.has('title')) return 'title'
  return !places.has('key') && (places.has('blocked_by') || places.has('blocks')) ? 'key' : null
}

/** A newer export of the same name brings the same keys. */
function csvName(file: string): string {
  const name = withoutCopyNumber(file.replace(/^.*\//s, '').replace(/(?<=.)\.[^.]*$/, ''))
  return `csv:${[...name].slice(0, limits.import_source_chars_max - 4).join('')}`
}

/** Browsers add a number to the name of a file that they have saved before: `tasks (1)`. */
function withoutCopyNumber(name: string): string {
  const at = name.lastIndexOf(' (')
  const isCopy = at > 0 && name.endsWith(')') && Number.isInteger(Number(name.slice(at + 2, -1) || Number.NaN))
  return isCopy ? name.slice(0, at) : name
}

function entryOf(row: Row, ordinal: string, options: CsvOptions, seen: Set<string> | null, advise: Advise): Entry {
  const cells = new Cells(row, options.places)
  const key = seen === null ? ordinal : cells.text('key')
  const drafting = new Drafting(row.line, key === '' ? ordinal : key, advise)
  if (row.fault !== null) drafting.note('refused', row.fault.column, `The row ${row.fault.reason}.`)
  else if (seen !== null && key === '') drafting.note('refused', cells.name('key'), 'The row has no key.')
  else if (seen?.has(key)) drafting.note('refused', cells.name('key'), `An earlier row has the key ${quoted(key)} too.`)
  if (drafting.notes.length > 0) return { draft: null, notes: drafting.notes }
  seen?.add(key)
  return cells.entry(drafting, options)
}

class Cells {
  private readonly row: Row
  private readonly places: Places

  constructor(row: Row, places: Places) {
    this.row = row
    this.places = places
  }

  name(field: string): string {
    return this.places.get(field)?.name ?? field
  }

  /** All cells of a field, as its table translates them. */
  texts(field: string): string[] {
    const place = this.places.get(field)
    if (place === undefined) return []
    const texts = place.columns.map((index) => this.row.cells[index] ?? '').filter((text) => text.trim() !== '')
    if (field === 'status' || field === 'priority') return texts
    return texts.map((text) => translated(place.table, text.trim()) ?? text)
  }

  /** The first cell that is not empty. */
  text(field: string): string {
    return this.texts(field)[0]?.trim() ?? ''
  }

  entry(drafting: Drafting, { dates, separator }: CsvOptions): Entry {
    const { key } = drafting
    const table = (field: string) => this.places.get(field)?.table
    const word = (field: string, read: (word: string) => string) => {
      const text = this.text(field)
      return text === '' ? undefined : drafting.read(this.name(field), () => read(text))
    }
    const split = (field: string) => once(this.texts(field).flatMap((text) => text.split(separator)))
    const fields = given({
      // As it stands: a text that begins with = is a text.
      title: this.texts('title')[0]?.trim(),
      description: this.texts('description').join('\n\n'),
      status: word('status', (text) => statusOf(text, table('status'))),
      priority: word('priority', (text) => priorityOf(text, table('priority'))),
      due_at: drafting.date(this.name('due_at'), this.text('due_at'), dates),
      completed_at: drafting.date(this.name('completed_at'), this.text('completed_at'), dates),
      labels: split('labels'),
      custom_fields: this.customFields(drafting),
    })
    const links: Link[] = [
      ...split('blocked_by').map((other) => ({ from: other, to: key, kind: 'blocks' })),
      ...split('blocks').map((other) => ({ from: key, to: other, kind: 'blocks' })),
    ]
    return drafting.entry(fields, {
      person: once([this.text('assignee')]),
      created: drafting.date(this.name('created'), this.text('created'), dates),
      creator: once([this.text('creator')]),
      project: this.text('project') || null,
      column: this.text('column') || null,
      comments: this.texts('comment').map((body) => ({ body, head: null, author: [] })),
      links,
    })
  }

  private customFields(drafting: Drafting): Record<string, unknown> {
    const found: Record<string, unknown> = {}
    for (const [field, { name, type }] of this.places) {
      const own = field.startsWith('custom_fields.') ? field.slice('custom_fields.'.length) : null
      const texts = own === null ? [] : this.texts(field)
      if (own === null || texts.length === 0) continue
      const value = drafting.read(name, () => typed(type, texts))
      if (value !== undefined) found[own] = value
    }
    return found
  }
}

function typed(type: FieldType, texts: readonly string[]): unknown {
  const [first = ''] = texts
  if (type === 'list') return once(texts)
  if (type === 'number') return numberOf(first.trim())
  if (type === 'boolean') return booleanOf(first.trim())
  return first
}
