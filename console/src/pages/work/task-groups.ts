/**
 * Subtasks under their parents in the list of tasks. Without a filter the list reads tasks without a parent, and the subtasks
 * of a row when it is expanded, so it works at any length. With a filter, matches stand below a parent that matches, too;
 * this needs all rows, so it is done up to `grouped_rows_max` matches. Longer filtered lists stay flat.
 */
import type { Task } from '@atrium/sdk'
import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { keys, useAtrium, useMode } from '../../data/index.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { useHiddenTasks } from './deletions.ts'
import { subtasks_max, subtasksKey } from './subtask-reads.ts'
import type { TaskRows } from './task-rows.ts'
import { type Below, groupMatches, type ListRow, rowsBelow } from './task-tree.ts'

/** Matches of a filter that are grouped. */
export const grouped_rows_max = 500
/** The filter of a grouped list without one of its own. */
export const roots_filter = 'parent = none'
/** The list is searched this far for an expanded row that has moved. */
const moved_rows_max = 200

const stored_name = 'atrium.group-subtasks'
const grouping = createStore(readStored())

function readStored(): boolean {
  try {
    return localStorage.getItem(stored_name) === 'on'
  } catch {
    return false
  }
}

/** Whether lists group subtasks, remembered in this browser. */
export function useGrouping(): readonly [boolean, (isGrouped: boolean) => void] {
  const isGrouped = useStore(grouping)
  const set = (next: boolean) => {
    grouping.set(next)
    try {
      localStorage.setItem(stored_name, next ? 'on' : 'off')
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  }
  return [isGrouped, set]
}

export interface TaskGroups {
  readonly count: number
  readonly at: (index: number) => ListRow | undefined
  readonly onRange: (first: number, end: number) => void
  /** Expands or collapses a row. */
  readonly toggle: (index: number) => void
  /** The filtered list is too long to be grouped. */
  readonly isTooLong: boolean
}

/** The rows of a list as they are shown. */
export function useTaskGroups(list: TaskRows, count: number, filter: string, isGrouped: boolean): TaskGroups {
  const isFiltered = filter !== ''
  const isShort = count <= grouped_rows_max
  const matches = useMatchGroups(list, count, isGrouped && isFiltered && isShort)
  const roots = useRootGroups(list, count, isGrouped && !isFiltered)
  if (isGrouped && !isFiltered) return roots
  if (matches !== null) return matches
  return {
    count,
    at: (index) => flatRow(list.at(index)),
    // While matches are grouped, all rows are read.
    onRange: isGrouped && isFiltered && isShort ? () => {} : list.onRange,
    toggle: () => {},
    isTooLong: isGrouped && isFiltered && !isShort,
  }
}

function flatRow(task: Task | undefined): ListRow | undefined {
  return task && { task, level: 0, isExpanded: null }
}

/** Groups matches below matching parents; null while not all rows are read. */
function useMatchGroups(list: TaskRows, count: number, enabled: boolean): TaskGroups | null {
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set())
  const { onRange } = list
  useEffect(() => {
    if (enabled) onRange(0, count)
  }, [enabled, onRange, count])
  if (!enabled) return null
  const tasks = Array.from({ length: count }, (_, i) => list.at(i)).filter((task) => task !== undefined)
  if (tasks.length < count || !list.isCounted) return null
  const rows = groupMatches(tasks, collapsed)
  return {
    count: rows.length,
    at: (index) => rows[index],
    // All rows are kept.
    onRange: () => {},
    toggle: (index) => {
      const row = rows[index]
      if (row?.isExpanded == null) return
      const next = new Set(collapsed)
      if (!next.delete(row.task.id)) next.add(row.task.id)
      setCollapsed(next)
    },
    isTooLong: false,
  }
}

/** Tasks without a parent, with the subtasks of expanded rows between them. */
function useRootGroups(list: TaskRows, count: number, enabled: boolean): TaskGroups {
  // By id, with the row of the list where it was expanded; null below another task.
  const [opened, setOpened] = useState<ReadonlyMap<string, number | null>>(new Map())
  const below = useBelow(enabled ? [...opened.keys()] : [])
  const inserted = [...opened].flatMap(([id, from]) => {
    const row = from === null ? null : rowOf(list, id, from)
    const task = row === null ? undefined : list.at(row)
    return row === null || task === undefined
      ? []
      : [{ row, rows: rowsBelow(task, 1, (each) => opened.has(each), below, subtasks_max) }]
  })
  inserted.sort((a, b) => a.row - b.row)
  const total = inserted.reduce((sum, { rows }) => sum + rows.length, count)
  const find = (index: number): ListRow | undefined | number => {
    let before = 0
    for (const { row, rows } of inserted) {
      if (index <= row + before) break
      if (index <= row + before + rows.length) return rows[index - row - before - 1]
      before += rows.length
    }
    return index - before
  }
  const at = (index: number): ListRow | undefined => {
    const found = find(index)
    if (typeof found !== 'number') return found
    const task = list.at(found)
    return task && { task, level: 0, isExpanded: task.subtask_count === 0 ? null : opened.has(task.id) }
  }
  const rootOf = (index: number) => {
    const before = inserted.reduce((sum, { row, rows }) => (row + sum < index ? sum + rows.length : sum), 0)
    return Math.max(0, index - before)
  }
  return {
    count: total,
    at,
    onRange: (first, end) => list.onRange(rootOf(first), Math.min(count, rootOf(end) + 1)),
    toggle: (index) => {
      const row = at(index)
      if (row?.isExpanded == null) return
      const found = find(index)
      const next = new Map(opened)
      if (!next.delete(row.task.id)) next.set(row.task.id, typeof found === 'number' ? found : null)
      setOpened(next)
    },
    isTooLong: false,
  }
}

/** The row where a task stands now, near the one where it stood. */
function rowOf(list: TaskRows, id: string, from: number): number | null {
  for (let by = 0; by <= moved_rows_max; by++) {
    for (const row of by === 0 ? [from] : [from - by, from + by]) if (row >= 0 && list.at(row)?.id === id) return row
  }
  return null
}

/** The subtasks of the expanded tasks, cached as in the panel of their parent. */
function useBelow(ids: readonly string[]): Below {
  const mode = useMode()
  const atrium = useAtrium()
  const hidden = useHiddenTasks()
  const results = useQueries({
    queries: ids.map((id) => ({
      queryKey: keys.list(mode, 'task', subtasksKey(id)),
      queryFn: () => atrium.tasks.list({ parent: id, sort: 'position', limit: 100 }).toArray({ max: subtasks_max }),
    })),
  })
  const rows = new Map(ids.map((id, i) => [id, results[i]?.data]))
  return (id) => rows.get(id)?.filter((task) => task.parent === id && !hidden.has(task.id))
}
