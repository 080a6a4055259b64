/**
 * Compares the rows of objects with their newest events, which show the objects as GET does (contract/10#event-object). SQLite
 * has no checksums, so nothing else reveals a changed bit inside a row. Objects without an event within its retention are
 * not compared, nor are fields that the program which wrote the event did not have.
 */
import { isDeepStrictEqual } from 'node:util'
import type { PublicObject } from '../../api/declare/noun.ts'
import { objectText } from '../../api/write/outbox.ts'
import { literal, type Placeholder, query, type ResourceTable, selectRows } from '../../db/query.ts'
import type { Reader, Store } from '../../db/store.ts'
import { billingRateNoun } from '../../resources/billing_rates/billing_rate.ts'
import { columnNoun } from '../../resources/columns/column.ts'
import { commentNoun } from '../../resources/comments/comment.ts'
import { customFieldNoun } from '../../resources/custom_fields/custom_field.ts'
import { dependencyNoun } from '../../resources/dependencies/dependency.ts'
import { expenseNoun } from '../../resources/expenses/expense.ts'
import { invoiceDraftNoun } from '../../resources/invoice_drafts/invoice_draft.ts'
import { portfolioNoun } from '../../resources/portfolios/portfolio.ts'
import { projectNoun } from '../../resources/projects/project.ts'
import { savedFilterNoun } from '../../resources/saved_filters/saved_filter.ts'
import { taskTemplateNoun } from '../../resources/task_templates/task_template.ts'
import { taskNoun } from '../../resources/tasks/task.ts'
import { timeEntryNoun } from '../../resources/time_entries/time_entry.ts'
import { workspaceNoun } from '../../resources/workspaces/workspace.ts'

/** Their events show every change of theirs: GET returns nothing else. */
const compared = [
  ...[workspaceNoun, customFieldNoun, projectNoun, portfolioNoun, columnNoun, taskNoun, commentNoun, dependencyNoun],
  ...[timeEntryNoun, savedFilterNoun, taskTemplateNoun, expenseNoun, billingRateNoun, invoiceDraftNoun],
]

interface ObjectRow {
  readonly realm: number
  readonly id: string
  readonly deleted_at: number | null
}

interface Comparison {
  readonly table: ResourceTable
  show(row: ObjectRow): PublicObject
}

const comparisons: ReadonlyMap<string, Comparison> = new Map(compared.map((noun) => [noun.table, noun]))

const newestEvent = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('events')
    .select('data')
    .where('realm', '=', p('realm'))
    .where('object_id', '=', p('id'))
    .orderBy('sequence', 'desc')
    .limit(literal(1)),
)

const rowOf = (table: ResourceTable) =>
  query<ObjectRow, { realm: number; id: string }>((db, p) =>
    selectRows(db, table).where('realm', '=', p('realm')).where('id', '=', p('id')),
  )
const rowQueries = new Map([...comparisons.values()].map(({ table }) => [table, rowOf(table)]))

/** What is wrong with one of a table's rows, as far as their events say. */
export async function findingOfObjects(store: Store, table: string, rows: readonly object[]): Promise<string | null> {
  const comparison = comparisons.get(table)
  if (comparison === undefined) return null
  const reader = store.reader('system')
  // The rows of these tables have these columns.
  const equal = await Promise.all(rows.map((row) => isShown(reader, comparison, row as ObjectRow)))
  for (const [i, isEqual] of equal.entries()) {
    if (isEqual) continue
    // The row may have changed between the two reads: both are read again at one moment.
    const finding = await store.snapshot('system', (at) => differenceOf(at, comparison, rows[i] as ObjectRow))
    if (finding !== null) return finding
  }
  return null
}

/** Whether the newest event of the row's object shows the row, byte for byte. */
async function isShown(reader: Reader, { show }: Comparison, row: ObjectRow): Promise<boolean> {
  if (row.deleted_at !== null) return true
  const event = await reader.first(newestEvent, { realm: row.realm, id: row.id })
  if (event === undefined) return true
  const text = JSON.stringify(show(row))
  return objectText(event.data, text.length) === text
}

async function differenceOf(reader: Reader, comparison: Comparison, { realm, id }: ObjectRow): Promise<string | null> {
  const row = await reader.first(rowQueries.get(comparison.table) as ReturnType<typeof rowOf>, { realm, id })
  const event = await reader.first(newestEvent, { realm, id })
  if (row === undefined || row.deleted_at !== null || event === undefined) return null
  const shown = JSON.parse(JSON.stringify(comparison.show(row))) as Readonly<Record<string, unknown>>
  const { object } = JSON.parse(event.data) as { readonly object: Readonly<Record<string, unknown>> }
  const fields = Object.keys(object).filter((name) => name in shown && !isDeepStrictEqual(object[name], shown[name]))
  if (fields.length === 0) return null
  return `the ${shown.object} ${id} differs from its newest event in ${fields.join(', ')}`
}
