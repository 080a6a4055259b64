/**
 * Counts the tasks of a list by the values of a property, as a grouped list shows them. The selected tasks are read in
 * batches by id and counted here, so both engines give equal counts. Time grows with the selected tasks, up to the limit of
 * a statement; memory with the different values, up to `group_values_max`.
 */
import { sql } from 'kysely'
import { db_limits } from '../../../db/limits.ts'
import type { TaskRow } from '../../../db/schema.ts'
import { type Reader, StoreUnavailable } from '../../../db/store.ts'
import { Slices } from '../../../lib/turns.ts'
import type { SortableRow, TaskCriteria, TaskPage, TaskPosition } from './criteria.ts'
import type { ShownColumns } from './queries.ts'
import { readColumns } from './read.ts'

/** Different values that are counted separately. */
const group_values_max = 10_000

export const group_columns = ['status', 'priority', 'assignee', 'project', 'column'] as const

/** The property that divides a list. `due_at` is divided at moments, given in milliseconds and ascending. */
export type Grouping =
  | { readonly by: (typeof group_columns)[number] | 'labels' }
  | { readonly by: 'due_at'; readonly bounds: readonly number[] }
  | { readonly by: 'custom_field'; readonly key: string }

/** A value of the property; of `due_at` how many moments lie before or at it. Null: without a value. */
type GroupValue = string | number | boolean | null

export interface GroupCounts {
  /** The largest first. A task with several labels counts for each. */
  readonly groups: readonly { readonly value: GroupValue; readonly count: number }[]
  /** The tasks of further values. Numbers and lists of custom fields are among them. */
  readonly others: number
}

/** The counts of at most `groups_max` values. */
export async function countGroups(
  reader: Reader,
  realm: number,
  criteria: TaskCriteria,
  grouping: Grouping,
  groups_max: number,
): Promise<GroupCounts> {
  const counts = new Map<GroupValue, number>()
  let others = 0
  const valuesOf = valuesBy(grouping)
  await eachTask(reader, realm, criteria, shownFor(grouping), (row) => {
    for (const value of valuesOf(row)) {
      const count = value === undefined ? undefined : counts.get(value)
      if (value === undefined || (count === undefined && counts.size >= group_values_max)) others++
      else counts.set(value, (count ?? 0) + 1)
    }
  })
  const sorted = [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count)
  for (const { count } of sorted.slice(groups_max)) others += count
  return { groups: sorted.slice(0, groups_max), others }
}

type GroupedRow = SortableRow & Pick<TaskRow, 'custom_fields' | 'labels' | (typeof group_columns)[number]>

function shownFor(grouping: Grouping): ShownColumns {
  const column = grouping.by === 'custom_field' ? 'custom_fields' : grouping.by
  return { shape: `group ${column}`, columns: sql.join([sql.ref('tasks.id'), sql.ref(`tasks.${column}`)]) }
}

/** Undefined: a value that is no group of its own. */
function valuesBy(grouping: Grouping): (row: GroupedRow) => readonly (GroupValue | undefined)[] {
  switch (grouping.by) {
    case 'labels':
      return ({ labels }) => {
        const list = JSON.parse(labels) as readonly string[]
        return list.length === 0 ? [null] : list
      }
    case 'due_at': {
      const { bounds } = grouping
      return ({ due_at }) => [due_at === null ? null : bounds.filter((bound) => bound <= due_at).length]
    }
    case 'custom_field': {
      const { key } = grouping
      return ({ custom_fields }) => {
        const value = (JSON.parse(custom_fields) as Readonly<Record<string, unknown>>)[key] ?? null
        return [value === null || typeof value === 'string' || typeof value === 'boolean' ? value : undefined]
      }
    }
    default: {
      const { by } = grouping
      return (row) => [row[by]]
    }
  }
}

async function eachTask(
  reader: Reader,
  realm: number,
  criteria: TaskCriteria,
  shown: ShownColumns,
  count: (row: GroupedRow) => void,
): Promise<void> {
  const { field_order_batch: batch, list_slice_ms, statement_ms } = db_limits
  const slices = new Slices(batch, batch, list_slice_ms, statement_ms)
  let position: TaskPosition | null = null
  for (;;) {
    const page: TaskPage = { keys: [], backwards: false, position, count: batch }
    const rows: GroupedRow[] = await readColumns<GroupedRow>(reader, realm, criteria, page, shown)
    for (const row of rows) count(row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < batch) return
    position = { id: last.id, values: [] }
    if (!(await slices.next())) throw new StoreUnavailable('counting the groups of a list took too long')
  }
}
