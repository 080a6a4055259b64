/** CSV files as rows of cells: what the readers of the command line and of the page have in common. */
import { import_limits } from './limits.ts'
import { Unusable } from './unusable.ts'

export const delimiters = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const
export type DelimiterName = keyof typeof delimiters
export const delimiter_names = Object.keys(delimiters) as DelimiterName[]

export interface Row {
  /** The line that it begins on. */
  readonly line: number
  readonly cells: readonly string[]
  /** Why it cannot be read, and in which column. */
  readonly fault: { readonly column: string | null; readonly reason: string } | null
}

export interface CsvTable {
  /** Path or name of the file. */
  readonly file: string
  /** The names of the columns; a name may stand several times. */
  readonly header: readonly string[]
  rows(): AsyncGenerator<Row>
}

/** How the parser of csv-parse reads a file. */
export const parser_options = {
  record_delimiter: '\n',
  info: true,
  raw: true,
  relax_quotes: true,
  relax_column_count: true,
  skip_empty_lines: true,
  skip_records_with_error: true,
} as const

/** The names of the columns, from the cells of the first line. Throws Unusable if all are empty. */
export function headerOf(cells: readonly string[]): readonly string[] {
  const header = cells.map((cell) => cell.trim())
  if (header.length > import_limits.columns_max) {
    throw new Unusable(`has more than ${import_limits.columns_max} columns`)
  }
  if (header.every((name) => name === '')) throw new Unusable('must name its columns in line 1')
  return header
}

/** A row of the table; null if all its cells are empty. */
export function rowOf(line: number, cells: readonly string[], header: readonly string[]): Row | null {
  if (cells.slice(header.length).some((text) => text !== '')) {
    const reason = `has ${cells.length} cells, but the first line has ${header.length}; put a text with a delimiter in quotes`
    return { line, cells, fault: { column: null, reason } }
  }
  return cells.some((text) => text.trim() !== '') ? { line, cells, fault: null } : null
}

/** Line ends inside a record: not those before it (empty lines) and not its own. */
export function lineEndsIn(raw: string): number {
  return raw.replace(/^\n+/, '').replace(/\n$/, '').split('\n').length - 1
}

/** Says from which line on a file is damaged. */
export function damageAt(line: number): Unusable {
  return new Unusable(`is damaged at line ${Math.max(1, line)}: a quote opens there and is never closed`)
}

/** The first line that is not empty, and the delimiter that it names if it is `sep=;`, as spreadsheets write it. */
export function firstLine(text: string): { readonly first: string; readonly named: DelimiterName | null } {
  const first = text.replace(/^\n+/, '').split('\n', 1)[0] as string
  const sign = /^sep=(.)$/.exec(first)?.[1]
  return { first, named: delimiter_names.find((name) => delimiters[name] === sign) ?? null }
}

/** The delimiter that stands most often in the line, outside of quotes. */
export function guessDelimiter(line: string): DelimiterName {
  const bare = line.replaceAll(/"(?:[^"]|"")*"/g, '')
  const counts = delimiter_names.map((name) => [name, bare.split(delimiters[name]).length] as const)
  return counts.reduce((best, each) => (each[1] > best[1] ? each : best))[0]
}
