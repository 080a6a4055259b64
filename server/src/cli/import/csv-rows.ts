/**
 * Reads a CSV file row by row, with the line that each row begins on. Rows are not kept: a file of any size needs the
 * memory of its longest row. Damage that makes the rest unreadable (a quote that is never closed) refuses the file; a
 * fault in a row refuses the row.
 */
import { Readable } from 'node:stream'
import { type CsvError, type InfoRecord, parse } from 'csv-parse'
import { Failure } from '../command.ts'
import { cli_limits } from '../limits.ts'
import { type Encoding, normalized } from './decode.ts'

export const delimiters = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const
export type DelimiterName = keyof typeof delimiters

export interface CsvForm {
  readonly delimiter?: DelimiterName | undefined
  readonly encoding?: Encoding | undefined
}

export interface Row {
  readonly line: number
  readonly cells: readonly string[]
  /** Why it cannot be read, and in which column. */
  readonly fault: { readonly column: string | null; readonly reason: string } | null
}

export interface CsvFile {
  /** The names of the columns; a name may stand several times. */
  readonly header: readonly string[]
  readonly delimiter: DelimiterName
  rows(): AsyncGenerator<Row>
}

/** Reads the head of a file. Refuses one that is empty or whose head is no list of names. */
export async function openCsv(file: string, form: CsvForm): Promise<CsvFile> {
  const { first, named } = await firstLine(file, form)
  const delimiter = form.delimiter ?? named ?? guess(first)
  const lines = recordsOf(file, delimiter, form.encoding, named !== null)
  const head = await lines.next()
  await lines.return(undefined)
  if (head.done) throw new Failure(`${file} is empty. Its first line must name the columns.`)
  const header = head.value.cells.map((cell) => decoded(cell)?.trim())
  if (header.includes(undefined))
    throw new Failure(`Line 1 of ${file} is not UTF-8. Name its encoding with --encoding.`)
  if (header.length > cli_limits.import_columns_max)
    throw new Failure(`${file} has more than ${cli_limits.import_columns_max} columns.`)
  const names = header as string[]
  if (names.every((name) => name === '')) throw new Failure(`Line 1 of ${file} must name the columns.`)
  return {
    header: names,
    delimiter,
    rows: () => rowsOf(recordsOf(file, delimiter, form.encoding, named !== null), names),
  }
}

async function* rowsOf(records: AsyncGenerator<Record_>, header: readonly string[]): AsyncGenerator<Row> {
  await records.next()
  for await (const { line, cells } of records) {
    const texts = cells.map(decoded)
    const bad = texts.indexOf(undefined)
    const whole = texts.map((text) => text ?? '')
    if (bad >= 0) {
      const column = header[bad] ?? null
      yield {
        line,
        cells: whole,
        fault: { column, reason: 'is not valid UTF-8; name the encoding of the file with --encoding' },
      }
    } else if (whole.slice(header.length).some((text) => text !== '')) {
      const reason = `has ${whole.length} cells, but the first line has ${header.length}; put a text with a delimiter in quotes`
      yield { line, cells: whole, fault: { column: null, reason } }
    } else if (whole.some((text) => text.trim() !== '')) yield { line, cells: whole, fault: null }
  }
}

interface Record_ {
  readonly line: number
  /** Bytes as characters: what is no UTF-8 is seen per cell. */
  readonly cells: readonly string[]
}

async function* recordsOf(
  file: string,
  delimiter: DelimiterName,
  encoding: Encoding | undefined,
  hasDelimiterLine: boolean,
): AsyncGenerator<Record_> {
  let damage: CsvError | undefined
  let damaged_from = 0
  const parser = parse({
    encoding: 'latin1',
    delimiter: delimiters[delimiter],
    record_delimiter: '\n',
    info: true,
    raw: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: cli_limits.import_row_bytes_max,
    from_line: hasDelimiterLine ? 2 : 1,
    on_skip(error, raw) {
      damage ??= error
      damaged_from ||= Number(error?.lines ?? 0) - newlines(raw ?? '')
      return undefined
    },
  })
  const source = Readable.from(normalized(file, encoding))
  source.on('error', (error) => parser.destroy(error))
  try {
    for await (const { record, info, raw } of source.pipe(parser) as AsyncIterable<Parsed>) {
      if (damage !== undefined) break
      yield { line: info.lines - newlines(raw), cells: record }
    }
  } finally {
    source.destroy()
    parser.destroy()
  }
  if (damage !== undefined) {
    throw new Failure(
      `${file} is damaged at line ${Math.max(1, damaged_from)}: a quote opens there and is never closed.`,
    )
  }
}

interface Parsed {
  readonly record: string[]
  readonly info: InfoRecord
  readonly raw: string
}

/** Line ends inside a record: not those before it (empty lines) and not its own. */
function newlines(raw: string): number {
  return raw.replace(/^\n+/, '').replace(/\n$/, '').split('\n').length - 1
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decoded(cell: string): string | undefined {
  if (/^[\0-\x7f]*$/.test(cell)) return cell
  try {
    return utf8.decode(Buffer.from(cell, 'latin1'))
  } catch {
    return undefined
  }
}

/** The first line that is not empty; a line `sep=;`, as spreadsheets write it, names the delimiter. */
async function firstLine(file: string, form: CsvForm): Promise<{ first: string; named: DelimiterName | null }> {
  let text = ''
  try {
    for await (const chunk of normalized(file, form.encoding)) {
      text += chunk.toString('latin1')
      if (/[^\n]\n/.test(text) || text.length > cli_limits.import_row_bytes_max) break
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${file} cannot be read: ${(error as Error).message}.`)
  }
  const first = text.replace(/^\n+/, '').split('\n', 1)[0] as string
  const sign = /^sep=(.)$/.exec(first)?.[1]
  const named = (Object.keys(delimiters) as DelimiterName[]).find((name) => delimiters[name] === sign)
  return { first, named: named ?? null }
}

/** The delimiter that stands most often in the line, outside of quotes. */
function guess(line: string): DelimiterName {
  const bare = line.replaceAll(/"(?:[^"]|"")*"/g, '')
  const counts = (Object.keys(delimiters) as DelimiterName[]).map(
    (name) => [name, bare.split(delimiters[name]).length] as const,
  )
  return counts.reduce((best, each) => (each[1] > best[1] ? each : best))[0]
}
