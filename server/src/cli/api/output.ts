/** Prints answers: a table for people; JSON, a line per object, or CSV for programs. Nothing printed stays in memory. */
import type { Operation } from '../../api/declare/operation.ts'
import { endWithReader, writeOut } from '../client/write-out.ts'
import { facts, table, time } from '../print.ts'
import { answerFields, type Output } from './flags.ts'
import type { ListPage } from './pages.ts'

type Row = Readonly<Record<string, unknown>>

/** The columns that people look for, in this order, as far as an object has them. */
const telling = [
  'key',
  'id',
  'type',
  'name',
  'title',
  'email',
  'status',
  'priority',
  'role',
  'assignee',
  'due_at',
  'created',
]
const columns_max = 7
const cell_chars_max = 60

export interface Printing {
  readonly output: Output
  /** Pretty, for people. */
  readonly pretty: boolean
  readonly fields: readonly string[] | undefined
}

/** One object. */
export async function printObject(found: Row, { output, pretty, fields }: Printing): Promise<void> {
  endWithReader()
  const shown = fields === undefined ? found : picked(found, fields)
  if (output === 'table') return writeOut(`${facts(shown)}\n`)
  if (output === 'csv') return writeOut(`${csvLine(Object.keys(shown))}${csvLine(Object.values(shown))}`)
  return writeOut(`${pretty && output === 'json' ? JSON.stringify(shown, null, 2) : JSON.stringify(shown)}\n`)
}

/**
 * Prints a list page by page. JSON is one document in the form of the list envelope. It is complete even if a later page
 * fails: its `next_cursor` then says where to resume.
 */
export async function printList(
  pages: AsyncIterable<ListPage>,
  operation: Operation,
  printing: Printing,
): Promise<void> {
  endWithReader()
  if (printing.output === 'json') return printEnvelope(pages, printing)
  const rows = rowPrinter(operation, printing)
  let count = 0
  for await (const page of pages) {
    await writeOut(rows(page.data, count === 0))
    count += page.data.length
  }
  if (count === 0 && printing.output === 'table') process.stderr.write('This list is empty.\n')
}

async function printEnvelope(pages: AsyncIterable<ListPage>, { pretty, fields }: Printing): Promise<void> {
  const gap = pretty ? '\n    ' : ''
  let last: ListPage | null = null
  let count = 0
  try {
    for await (const page of pages) {
      if (last === null)
        await writeOut(pretty ? `{\n  "object": "list",\n  "url": "${page.url}",\n  "data": [` : head(page))
      for (const each of page.data) {
        const row = fields === undefined ? each : picked(each, fields)
        const text = pretty ? JSON.stringify(row, null, 2).replaceAll('\n', '\n    ') : JSON.stringify(row)
        await writeOut(`${count++ === 0 ? '' : ','}${gap}${text}`)
      }
      last = page
    }
  } finally {
    if (last !== null) await writeOut(foot(last, pretty))
  }
}

const head = ({ url }: ListPage): string => `{"object":"list","url":${JSON.stringify(url)},"data":[`

function foot(
  { object: _object, url: _url, data: _data, fields_selected: _, ...rest }: ListPage,
  pretty: boolean,
): string {
  const fields = Object.entries(rest).map(([name, value]) => [JSON.stringify(name), JSON.stringify(value)])
  if (!pretty) return `],${fields.map((field) => field.join(':')).join()}}\n`
  return `\n  ],\n${fields.map((field) => `  ${field.join(': ')}`).join(',\n')}\n}\n`
}

/** Turns the rows of a page into text; `first` puts the head above. */
function rowPrinter(
  operation: Operation,
  { output, fields }: Printing,
): (rows: readonly Row[], first: boolean) => string {
  if (output === 'jsonl') {
    return (rows) => rows.map((row) => `${JSON.stringify(fields === undefined ? row : picked(row, fields))}\n`).join('')
  }
  const known = answerFields(operation)
  if (output === 'csv') {
    const names = fields ?? known
    return (rows, first) =>
      (first ? csvLine(names) : '') + rows.map((row) => csvLine(names.map((name) => row[name]))).join('')
  }
  const names = fields ?? telling.filter((name) => known.includes(name)).slice(0, columns_max)
  return (rows, first) => {
    if (rows.length === 0) return ''
    const cells = rows.map((row) => names.map((name) => cell(name, row[name])))
    return `${table(first ? [names.map((name) => name.toUpperCase().replaceAll('_', ' ')), ...cells] : cells)}\n`
  }
}

function picked(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(fields.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]]))
}

/** One line of a terminal: what would move its cursor is left out. */
export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ')
}

function cell(name: string, value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'number' && (name === 'created' || name === 'updated' || name.endsWith('_at')))
    return time(value)
  const text = plain(typeof value === 'string' ? value : JSON.stringify(value))
  return text.length > cell_chars_max ? `${text.slice(0, cell_chars_max - 1)}…` : text
}

/**
 * One line of CSV (RFC 4180). Values other than texts and numbers are JSON; null is empty. A text that a spreadsheet would
 * run as a formula begins with an apostrophe.
 */
export function csvLine(values: readonly unknown[]): string {
  const cells = values.map((value) => {
    const text = typeof value === 'string' ? guarded(value) : (JSON.stringify(value ?? undefined) ?? '')
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${cells.join(',')}\r\n`
}

function guarded(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
}
