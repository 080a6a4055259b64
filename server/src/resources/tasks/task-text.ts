/**
 * The JSON of a task without building the object first, because lists of tasks are the most frequent reads: from its row, or
 * by SQLite itself. Labels and custom fields are stored exactly as `JSON.stringify` writes them.
 */
import { type RawBuilder, sql } from 'kysely'
import { sqlTexts, textMaker } from './columns.ts'
import type { SortableRow } from './list/criteria.ts'
import { fields, type ShownTaskRow } from './task.ts'

/** Exactly `JSON.stringify(showTask(row))`. */
export const taskText: (row: ShownTaskRow) => string = textMaker(fields)

/** The text of a task from SQLite, before and after its position. */
export interface TaskTextRow extends SortableRow {
  readonly head: string
  readonly tail: string
}

/** Exactly `taskText` of the same row. */
export function joinedText({ head, position, tail }: TaskTextRow): string {
  return head + JSON.stringify(position) + tail
}

const [head, tail] = sqlTexts(fields)

/** For SQLite only. */
export const textColumns: RawBuilder<unknown> = sql.raw(`${head} as head, tasks.position, ${tail} as tail`)
