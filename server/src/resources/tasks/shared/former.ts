/** Former values of a task, as events have them, as columns of its row. */
import type { TaskRow } from '../../../db/schema.ts'
import { storedMentions } from '../../../text/mentions.ts'
import { storedValue } from '../columns.ts'
import { foldText } from '../filter/sql.ts'
import { fields, task_priorities } from '../task.ts'

/** The fields that a former value can be written to: those that requests set, and the position. */
export const restorable_fields: ReadonlySet<string> = new Set([
  'title',
  'position',
  ...Object.entries(fields).flatMap(([name, field]) => ('sent' in field ? [name] : [])),
])

/** The columns for `shown`, whose names are in `restorable_fields`. */
export function formerColumns(task: TaskRow, shown: Readonly<Record<string, unknown>>): Partial<TaskRow> {
  const row: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(shown)) {
    const { kind } = fields[name as keyof typeof fields]
    row[name] = kind === 'json' ? JSON.stringify(value) : storedValue(kind, value, task[name as keyof TaskRow])
    if (name === 'title' || name === 'description')
      row[`${name}_folded`] = value === null ? null : foldText(String(value))
    if (name === 'description') row.mentions = storedMentions(value as string | null)
    if (name === 'priority') row.priority_rank = task_priorities.indexOf(value as (typeof task_priorities)[number])
  }
  return row
}
