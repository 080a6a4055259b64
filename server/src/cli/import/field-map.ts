/** `--map FIELD=COLUMN[:WORD=WORD,…]`: which column a field comes from, and what its words become. */
import { readFileSync, statSync } from 'node:fs'
import { type FieldType, map_fields, missingField, type Place, type Places } from '../../imports/csv-entry.ts'
import type { Table } from '../../imports/vocabulary.ts'
import { quoted } from '../../lib/quoted.ts'
import { didYouMean } from '../api/suggest.ts'
import { Failure, Fault } from '../command.ts'
import { cli_limits } from '../limits.ts'

export interface FieldMap {
  readonly field: string
  /** Column and table, as given: a column's name may hold colons, so the header decides where it ends. */
  readonly text: string
  readonly type: FieldType
}

const custom_form = /^custom_fields\.([a-z][a-z0-9_]{0,39})(?:\((number|boolean|list|text)\))?$/

/** One `--map`. */
export function readMap(text: string): FieldMap {
  const equals = text.indexOf('=')
  const field = text.slice(0, Math.max(0, equals)).trim()
  const column = text.slice(equals + 1)
  if (equals < 1 || column.trim() === '') throw new Fault('must be FIELD=COLUMN, such as title=Summary')
  const [, own, type] = custom_form.exec(field) ?? []
  if (own === undefined && !(map_fields as readonly string[]).includes(field)) {
    const advice = didYouMean(field, map_fields) || ` Fields are ${map_fields.join(', ')}, custom_fields.NAME.`
    throw new Fault(`has an unknown field, ${quoted(field)}.${advice}`)
  }
  return {
    field: own === undefined ? field : `custom_fields.${own}`,
    text: column,
    type: (type as FieldType | undefined) ?? 'text',
  }
}

/** The columns of the mapped fields in this header. */
export function placesIn(header: readonly string[], maps: readonly FieldMap[]): Places {
  const places = new Map(maps.map((map) => [map.field, placed(map, header)]))
  const missing = missingField(places)
  if (missing === 'title') throw new Failure('Give --map title=COLUMN: every task needs a title.')
  if (missing === 'key') throw new Failure('Give --map key=COLUMN: rows that refer to each other need keys.')
  return places
}

/** Where a field stands in this header, with its table read. All columns of one name count. */
function placed(map: FieldMap, header: readonly string[]): Place {
  const wanted = map.text.trim()
  const names = [...new Set(header)].filter((name) => name !== '').sort((a, b) => b.length - a.length)
  const name =
    names.find((each) => each === wanted) ??
    names.find((each) => wanted.startsWith(`${each}:`)) ??
    names.find((each) => each.toLowerCase() === wanted.toLowerCase())
  if (name === undefined) {
    const sought = wanted.split(':', 1)[0] as string
    const advice = didYouMean(sought, names) || ` Its columns are ${names.slice(0, 20).join(', ')}.`
    throw new Failure(`--map ${map.field}: the file has no column ${quoted(sought)}.${advice}`)
  }
  const table = wanted.length > name.length ? readTable(wanted.slice(name.length + 1), map.field) : undefined
  const columns = header.flatMap((each, i) => (each === name ? [i] : []))
  return { columns, name, type: map.type, table }
}

/** `Open=todo,In dev=in_progress,*=backlog`, or `@file` with such a pair on each line. */
function readTable(text: string, of: string): Table {
  const pairs = text.startsWith('@') ? readPairs(text.slice(1)) : text.split(',')
  const table = new Map<string, string>()
  for (const pair of pairs) {
    if (pair.trim() === '') continue
    const equals = pair.lastIndexOf('=')
    const [from, to] = [pair.slice(0, Math.max(0, equals)).trim(), pair.slice(equals + 1).trim()]
    if (from === '' || to === '') throw new Failure(`${of}: ${quoted(pair.trim())} must be WORD=WORD.`)
    table.set(from, to)
  }
  return table
}

function readPairs(file: string): string[] {
  try {
    if (statSync(file).size > cli_limits.client_input_bytes_max) throw new Error('it is too large')
    return readFileSync(file, 'utf8')
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/)
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${(error as Error).message}.`)
  }
}
