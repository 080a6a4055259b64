/** The options that all imports share. */
import { limits } from '../../api/limits.ts'
import { delimiter_names } from '../../imports/csv-row.ts'
import { date_orders, isZone } from '../../imports/dates.ts'
import type { Advise } from '../../imports/unusable.ts'
import type { Table } from '../../imports/vocabulary.ts'
import { connectionOptions, patienceOptions } from '../client/connection.ts'
import { Fault, type Option } from '../command.ts'
import { text } from '../options.ts'
import { encodings } from './decode.ts'
import type { ImportOptions } from './run.ts'

export const importOptions = {
  workspace: { shows: '<id>', does: 'Workspace to import into.', required: true },
  project: { shows: '<id>', does: 'Project for all tasks, instead of the projects of the source.' },
  person: {
    shows: '<who=email>',
    does: 'E-mail address of the member for a name in the source; may be repeated.',
    many: true,
    read: readPair,
  },
  dryRun: { shows: '', flag: true, does: 'Show what would be created and refused; write nothing.' },
  strict: { shows: '', flag: true, does: 'Write nothing if any row would be refused.' },
  cut: { shows: '', flag: true, does: 'Cut texts that are too long, instead of refusing their rows.' },
  report: {
    shows: '<file>',
    does: 'Report of what was refused, left out or cut, .csv or .json; <file>.report.csv by default.',
  },
  state: { shows: '<file>', does: 'Journal from which the import continues; <file>.atrium-import by default.' },
  source: {
    shows: '<name>',
    does: 'System that the keys belong to; by default jira, trello, or the name of the CSV file.',
    read: text(limits.import_source_chars_max),
  },
  fresh: { shows: '', flag: true, does: 'Import everything again, although it was imported before.' },
  quiet: { shows: '', flag: true, does: 'Do not show progress.' },
  ...connectionOptions,
  ...patienceOptions,
} as const satisfies Record<string, Option>

export const dateOptions = {
  dateOrder: { shows: '<order>', does: 'Order of dates such as 3/4/2026: dmy or mdy.', choices: date_orders },
  timeZone: {
    shows: '<zone>',
    does: 'Time zone of dates without an offset, such as Europe/Berlin; UTC by default.',
    read(text: string) {
      if (!isZone(text)) throw new Fault('must be a time zone such as Europe/Berlin')
      return text
    },
  },
} as const satisfies Record<string, Option>

export const csvOptions = {
  delimiter: {
    shows: '<name>',
    does: 'Delimiter: comma, semicolon, tab or pipe; detected by default.',
    choices: delimiter_names,
  },
  encoding: { shows: '<name>', does: 'Encoding of the file; utf-8 by default.', choices: encodings },
} as const satisfies Record<string, Option>

export const wordOptions = {
  status: {
    shows: '<word=status>',
    does: 'Status for a word of the source, or leave_out for rows not to import; may be repeated.',
    many: true,
    read: readPair,
  },
} as const satisfies Record<string, Option>

export const attachmentOptions = {
  attachments: {
    shows: '<folder>',
    does: 'Folder with the files of attachments: KEY/NAME, ID/NAME, ID or NAME of each.',
  },
} as const satisfies Record<string, Option>

/** `Doing=in_progress` */
export function readPair(text: string): readonly [string, string] {
  const equals = text.lastIndexOf('=')
  const [from, to] = [text.slice(0, Math.max(0, equals)).trim(), text.slice(equals + 1).trim()]
  if (from === '' || to === '') throw new Fault('must be WORD=WORD, such as Doing=in_progress')
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

/** What can be done about a value, as options of the commands. */
const remedies: Advise = ({ kind, word }) => {
  switch (kind) {
    case 'status':
      return `map it with --status '${word}=in_progress'`
    case 'priority':
      return `--priority '${word}=high' maps it`
    case 'person':
      return `name the member with --person '${word}=EMAIL'`
    case 'date_order':
      return 'give --date-order dmy or mdy'
    case 'archived':
      return '--archived import includes it'
    case 'encoding':
      return 'name the encoding of the file with --encoding'
  }
}

export const advise = {
  words: remedies,
  csv: ((remedy) => {
    const { kind, column } = remedy
    if (kind !== 'status' && kind !== 'priority') return remedies(remedy)
    return `--map ${kind}=${column}:WORD=${kind === 'status' ? 'todo' : 'high'} maps it`
  }) satisfies Advise,
} as const
