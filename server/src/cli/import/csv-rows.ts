/**
 * Reads a CSV file row by row, with the line that each row begins on. Rows are not kept: a file of any size needs the
 * memory of its longest row. Damage that makes the rest unreadable (a quote that is never closed) refuses the file; a
 * fault in a row refuses the row.
 */
import { Readable } from 'node:stream'
import { type CsvError, type InfoRecord, parse } from 'csv-parse'
import {
  type CsvTable,
  type DelimiterName,
  damageAt,
  delimiters,
  firstLine,
  guessDelimiter,
  headerOf,
  lineEndsIn,
  parser_options,
  type Row,
  rowOf,
} from '../../imports/csv-row.ts'
import { Unusable } from '../../imports/unusable.ts'
import { Failure } from '../command.ts'
import { cli_limits } from '../limits.ts'
import { type Encoding, normalized } from './decode.ts'

export interface CsvForm {
  readonly delimiter?: DelimiterName | undefined
  readonly encoding?: Encoding | undefined
}

/** Reads the head of a file. Refuses one that is empty or whose head is no list of names. */
export async function openCsv(file: string, form: CsvForm): Promise<CsvTable> {
  const { first, named } = firstLine(await firstText(file, form))
  const delimiter = form.delimiter ?? named ?? guessDelimiter(first)
  const lines = recordsOf(file, delimiter, form.encoding, named !== null)
  const head = await lines.next()
  await lines.return(undefined)
  if (head.done) throw new Failure(`${file} is empty. Its first line must name the columns.`)
  const names = head.value.cells.map(decoded)
  if (names.includes(undefined)) throw new Failure(`Line 1 of ${file} is not UTF-8. Name its encoding with --encoding.`)
  const header = await ofFile(file, () => headerOf(names as string[]))
  return { file, header, rows: () => rowsOf(recordsOf(file, delimiter, form.encoding, named !== null), header) }
}

/** What is wrong with a file as a whole, as a failure that names it. */
export async function ofFile<T>(file: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof Unusable ? new Failure(`${file} ${error.message}.`) : error
  }
}

async function* rowsOf(records: AsyncGenerator<Record_>, header: readonly string[]): AsyncGenerator<Row> {
  await records.next()
  for await (const { line, cells } of records) {
    const texts = cells.map(decoded)
    const bad = texts.indexOf(undefined)
    const whole = texts.map((text) => text ?? '')
    if (bad >= 0) {
      const reason = 'is not valid UTF-8; name the encoding of the file with --encoding'
      yield { line, cells: whole, fault: { column: header[bad] ?? null, reason } }
      continue
    }
    const row = rowOf(line, whole, header)
    if (row !== null) yield row
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
    ...parser_options,
    encoding: 'latin1',
    delimiter: delimiters[delimiter],
    max_record_size: cli_limits.import_row_bytes_max,
    from_line: hasDelimiterLine ? 2 : 1,
    on_skip(error, raw) {
      damage ??= error
      damaged_from ||= Number(error?.lines ?? 0) - lineEndsIn(raw ?? '')
      return undefined
    },
  })
  const source = Readable.from(normalized(file, encoding))
  source.on('error', (error) => parser.destroy(error))
  try {
    for await (const { record, info, raw } of source.pipe(parser) as AsyncIterable<Parsed>) {
      if (damage !== undefined) break
      yield { line: info.lines - lineEndsIn(raw), cells: record }
    }
  } finally {
    source.destroy()
    parser.destroy()
  }
  if (damage !== undefined) throw new Failure(`${file} ${damageAt(damaged_from).message}.`)
}

interface Parsed {
  readonly record: string[]
  readonly info: InfoRecord
  readonly raw: string
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

/** The text up to the end of the first line that is not empty. */
async function firstText(file: string, form: CsvForm): Promise<string> {
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
  return text
}
