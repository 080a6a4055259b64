/** A CSV file's text as a table, with the rules of the command line. */
import { parse } from 'csv-parse/browser/esm/sync'
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
} from '../../../../../server/src/imports/csv-row.ts'
import { Unusable } from '../../../../../server/src/imports/unusable.ts'
import { t } from '../../../language/index.ts'

interface Parsed {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
  readonly raw: string
}

export interface ReadTable extends CsvTable {
  readonly delimiter: DelimiterName
  readonly all: readonly Row[]
}

/** Throws Unusable if the text is no table. */
export function readTable(file: string, content: string): ReadTable {
  const text = content.replaceAll(/\r\n?/g, '\n')
  const { first, named } = firstLine(text)
  const delimiter = named ?? guessDelimiter(first)
  let damaged_at: number | null = null
  const records = parse(text, {
    ...parser_options,
    delimiter: delimiters[delimiter],
    from_line: named === null ? 1 : 2,
    on_skip(error, raw) {
      damaged_at ??= Number(error?.lines ?? 0) - lineEndsIn(raw ?? '')
      return undefined
    },
    // The options ask for records of this form, which the types of the library do not follow.
  }) as unknown as Parsed[]
  if (damaged_at !== null) throw damageAt(damaged_at)
  const [head, ...rest] = records
  if (head === undefined) throw new Unusable(t('is empty; its first line must name the columns'))
  const header = headerOf(head.record)
  const all = rest.flatMap(({ record, info, raw }) => rowOf(info.lines - lineEndsIn(raw), record, header) ?? [])
  if (all.length === 0) throw new Unusable(t('has no rows below the names of its columns'))
  return {
    file,
    header,
    delimiter,
    all,
    async *rows() {
      yield* all
    },
  }
}
