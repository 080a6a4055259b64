/** Which tasks a list, count or export selects, and which part of them a page shows. */
import type { CheckedFilter } from '../filter/check.ts'
import type { SortColumnName, SortKey, SortRow, SortValue } from './sort.ts'

/** The selected tasks. In `project` and `assignee` the word `null` selects tasks without one. */
export interface TaskCriteria {
  readonly workspace?: string | undefined
  readonly project?: readonly string[] | undefined
  readonly status?: readonly string[] | undefined
  readonly assignee?: readonly string[] | undefined
  /** The word `null` selects tasks without a parent. */
  readonly parent?: string | undefined
  /** Unix seconds, exclusive. */
  readonly due_before?: number | undefined
  /** Undefined selects active tasks, unless the filter names `is_archived`. */
  readonly is_archived?: boolean | undefined
  readonly filter?: CheckedFilter | undefined
  /** Of a guest: only tasks of these projects, whatever else is asked for. */
  readonly seen?: readonly string[] | undefined
  /** Selects the tasks with one value of a sort column. */
  readonly level?: { readonly column: SortColumnName; readonly value: SortValue } | undefined
}

/** A page starts strictly after this position in the order of its keys. */
export interface TaskPosition {
  readonly id: string
  readonly values: readonly SortValue[]
}

/** Order, start and length of a page. */
export interface TaskPage {
  /** Empty: by id, newest first. */
  readonly keys: readonly SortKey[]
  readonly backwards: boolean
  readonly position: TaskPosition | null
  readonly count: number
}

/** The columns that paging needs: the id and the sort columns. */
export type SortableRow = SortRow & { readonly id: string }
