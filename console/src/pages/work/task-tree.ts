/** Tasks as rows, each followed by its subtasks where they are shown. */
import type { Task } from '@atrium/sdk'
import type { GroupMark } from './list-groups.ts'

export interface ListRow {
  readonly task: Task
  /** How deep the row stands below its top row. */
  readonly level: number
  /** Whether its subtasks are shown; null if it shows no subtasks in this list. */
  readonly isExpanded: boolean | null
  /** The group that it stands in. */
  readonly group?: string
  /** Picked up by keyboard. */
  readonly isHeld?: boolean
}

/** The head of a group. */
export interface HeadRow {
  readonly kind: 'head'
  readonly group: string
  readonly name: string
  readonly mark: GroupMark | null
  readonly count: number
  /** Null if the group cannot be expanded. */
  readonly isExpanded: boolean | null
}

/** The end of a group of which more tasks can be read. */
export interface MoreRow {
  readonly kind: 'more'
  readonly group: string
  readonly name: string
  /** Tasks that are not shown. */
  readonly left: number
  /** Null if the group shows as many as it can. */
  readonly onMore: (() => void) | null
}

export type ShownRow = ListRow | HeadRow | MoreRow

export function isTaskRow(row: ShownRow | undefined): row is ListRow {
  return row !== undefined && 'task' in row
}

/** Rows in their order, each followed by those of its subtasks unless it is collapsed. */
export function groupMatches(tasks: readonly Task[], collapsed: ReadonlySet<string>): readonly ListRow[] {
  const known = new Set(tasks.map(({ id }) => id))
  const below = Map.groupBy(tasks, ({ parent }) => (parent !== null && known.has(parent) ? parent : null))
  const rows: ListRow[] = []
  const add = (task: Task, level: number) => {
    const children = below.get(task.id) ?? []
    const isExpanded = children.length === 0 ? null : !collapsed.has(task.id)
    rows.push({ task, level, isExpanded })
    if (isExpanded) for (const child of children) add(child, level + 1)
  }
  for (const task of below.get(null) ?? []) add(task, 0)
  return rows
}

/** The subtasks of a task; undefined while they are read. */
export type Below = (id: string) => readonly Task[] | undefined

/** The rows of an expanded task and of those expanded below it; undefined ones, at most `unread_max`, while they are read. */
export function rowsBelow(
  task: Task,
  level: number,
  isOpen: (id: string) => boolean,
  below: Below,
  unread_max: number,
): readonly (ListRow | undefined)[] {
  if (!isOpen(task.id)) return []
  const children = below(task.id)
  if (children === undefined) return Array.from({ length: Math.min(task.subtask_count, unread_max) }, () => undefined)
  return children.flatMap((child) => {
    const isExpanded = child.subtask_count === 0 ? null : isOpen(child.id)
    return [{ task: child, level, isExpanded }, ...rowsBelow(child, level + 1, isOpen, below, unread_max)]
  })
}
