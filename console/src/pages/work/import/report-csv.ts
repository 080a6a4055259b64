/** The report of an import as a table for spreadsheets, and the words for what became of a row. */
import type { Note } from '../../../../../server/src/imports/draft.ts'
import { csvCell } from '../../../app/csv.ts'
import { t } from '../../../language/index.ts'
import type { Arrived } from './kept-import.ts'

const action_names = {
  refused: t('Row left out'),
  left_out: t('Value left out'),
  cut: t('Text cut'),
  changed: t('Changed since'),
} as const

export const action_tones = { refused: 'bad', left_out: 'warn', cut: 'warn', changed: 'info' } as const

export function actionName(note: Note): string {
  return isRowLeftOut(note) ? action_names.refused : action_names[note.action]
}

/** An archived card is left out as a whole. */
export function isRowLeftOut({ action, column }: Note): boolean {
  return action === 'refused' || (action === 'left_out' && (column === null || column === 'closed'))
}

interface Reported {
  readonly arrived: readonly Arrived[]
  readonly notes: readonly Note[]
}

/** A line for each task and for each thing that was left out, in the order of the rows. */
export function reportCsv({ arrived, notes }: Reported): string {
  const tasks = arrived.map(({ line, title, task, outcome }) => ({
    line,
    cells: [String(line), outcome === 'there' ? t('Already there') : t('Created'), '', task ?? '', title],
  }))
  const left = notes.map((note) => ({
    line: note.line,
    cells: [String(note.line), actionName(note), note.column ?? '', '', note.reason],
  }))
  const rows = [...tasks, ...left].toSorted((a, b) => a.line - b.line).map(({ cells }) => cells)
  return [[t('Row'), t('Outcome'), t('Column'), t('Task'), t('Title or reason')], ...rows]
    .map((cells) => cells.map(csvCell).join(','))
    .join('\r\n')
}
