/** Which tasks a list, a count or an export is about, and which part of them a page shows. */
import type { CheckedFilter } from './filter/check.ts'
import type { SortColumnName, SortKey, SortRow, SortValue } from './sort.ts'

/** The tasks asked for. In `project` and `assignee` the word `null` stands for tasks without one. */
export interface TaskQuestion {
  readonly workspace?: string | undefined
  readonly project?: readonly string[] | undefined
  readonly status?: readonly string[] | undefined
  readonly assignee?: readonly string[] | undefined
  /** Unix seconds, exclusive. */
  readonly due_before?: number | undefined
  /** Without it active tasks only, unless the filter speaks of it. */
  readonly is_archived?: boolean | undefined
  readonly filter?: CheckedFilter | undefined
  /** The tasks with one value of a sorted column. */
  readonly level?: { readonly column: SortColumnName; readonly value: SortValue } | undefined
}

/** Where a page starts: strictly behind this place, in the order of the keys. */
export interface TaskPosition {
  readonly id: string
  readonly values: readonly SortValue[]
}

/** The order of a page and how far it goes. */
export interface TaskWalk {
  /** None: by id, newest first. */
  readonly keys: readonly SortKey[]
  readonly backwards: boolean
  readonly position: TaskPosition | null
  readonly count: number
}

/** What the reading of a page needs of a row: its id and, of the rest, what the keys are about. */
export type PlacedRow = SortRow & { readonly id: string }
