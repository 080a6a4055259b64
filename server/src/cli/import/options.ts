/** The options that all imports share. */
import { limits } from '../../api/limits.ts'
import { connectionOptions, patienceOptions } from '../client/connection.ts'
import { Fault, type Option } from '../command.ts'
import { text } from '../options.ts'
import { delimiters } from './csv-rows.ts'
import { date_orders, isZone } from './dates.ts'
import { encodings } from './decode.ts'
import type { ImportOptions } from './run.ts'
import type { Table } from './vocabulary.ts'

export const importOptions = {
  workspace: { shows: '<id>', does: 'workspace to import into', required: true },
  project: { shows: '<id>', does: 'project for all tasks, instead of those that the source names' },
  person: {
    shows: '<who=email>',
    does: 'e-mail address of the member whom the source calls so; may be repeated',
    many: true,
    read: readPair,
  },
  dryRun: { shows: '', flag: true, does: 'show what would be made and refused; write nothing' },
  strict: { shows: '', flag: true, does: 'write nothing at all when a row would be refused' },
  cut: { shows: '', flag: true, does: 'cut texts that are too long instead of refusing their row' },
  report: { shows: '<file>', does: 'what was refused, left out or cut: .csv or .json; <file>.report.csv by default' },
  state: { shows: '<file>', does: 'journal, by which the import goes on; <file>.atrium-import by default' },
  source: {
    shows: '<name>',
    does: 'system that the keys belong to; jira, trello or the name of the CSV file by default',
    read: text(limits.import_source_chars_max),
  },
  fresh: { shows: '', flag: true, does: 'import everything once more, although it was imported before' },
  quiet: { shows: '', flag: true, does: 'show no progress' },
  ...connectionOptions,
  ...patienceOptions,
} as const satisfies Record<string, Option>

export const dateOptions = {
  dateOrder: { shows: '<order>', does: 'of dates as 3/4/2026: dmy or mdy', choices: date_orders },
  timeZone: {
    shows: '<zone>',
    does: 'of dates without an offset: UTC by default, or as Europe/Berlin',
    read(text: string) {
      if (!isZone(text)) throw new Fault('must be a time zone, as Europe/Berlin')
      return text
    },
  },
} as const satisfies Record<string, Option>

export const csvOptions = {
  delimiter: {
    shows: '<name>',
    does: 'comma, semicolon, tab or pipe; found out by default',
    choices: Object.keys(delimiters) as (keyof typeof delimiters)[],
  },
  encoding: { shows: '<name>', does: 'of the file: utf-8 by default, or windows-1252 …', choices: encodings },
} as const satisfies Record<string, Option>

export const wordOptions = {
  status: { shows: '<word=status>', does: 'what a status is here; may be repeated', many: true, read: readPair },
} as const satisfies Record<string, Option>

/** `Doing=in_progress` */
export function readPair(text: string): readonly [string, string] {
  const equals = text.lastIndexOf('=')
  const [from, to] = [text.slice(0, Math.max(0, equals)).trim(), text.slice(equals + 1).trim()]
  if (from === '' || to === '') throw new Fault('must be WORD=WORD')
  return [from, to]
}

export function tableOf(pairs: readonly (readonly [string, string])[] | undefined): Table | undefined {
  return pairs === undefined ? undefined : new Map(pairs)
}

type Given = { readonly [K in keyof typeof importOptions]?: unknown }

/** The shared options as the run takes them; `meaning` is what else decides what becomes of a row. */
export function runOptions(given: Given, meaning: unknown): ImportOptions {
  const { person, dryRun, strict, cut, fresh, quiet, ...rest } = given
  return {
    ...(rest as Pick<ImportOptions, 'workspace'>),
    person: tableOf(person as readonly (readonly [string, string])[] | undefined),
    dryRun: dryRun === true,
    strict: strict === true,
    cut: cut === true,
    fresh: fresh === true,
    quiet: quiet === true,
    meaning,
  }
}
