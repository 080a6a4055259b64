/**
 * The keyboard of the list: j, k and the arrow keys move over rows, Right and Left expand and collapse subtasks and groups,
 * x selects, Shift with an arrow key selects a range, and with A all loaded rows are selected. Enter opens, because a row
 * is a link.
 */
import type { Task } from '@atrium/sdk'
import { type KeyboardEvent, type RefObject, useRef } from 'react'
import { useShortcut } from '../../app/shortcuts.ts'
import { t } from '../../language/index.ts'
import { usePageArrows } from './page-arrows.ts'
import { selected_tasks_max } from './task-selection.ts'
import { isTaskRow, type ShownRow } from './task-tree.ts'

export interface RowKeysInput {
  readonly frame: RefObject<HTMLElement | null>
  readonly count: number
  readonly rowAt: (index: number) => ShownRow | undefined
  readonly reveal: (index: number) => void
  readonly onSelect: (task: Task) => void
  readonly onSelectMany: (tasks: readonly Task[]) => void
  readonly onToggle: (index: number) => void
}

/** `cursor` is the row of the keyboard, which moves at once; the focus follows when the row is rendered. */
export function useRowKeys(input: RowKeysInput) {
  const { frame, count, rowAt, reveal, onSelect } = input
  const cursor = useRef(-1)
  const goTo = (index: number) => {
    const next = Math.max(0, Math.min(count - 1, index))
    cursor.current = next
    reveal(next)
    requestAnimationFrame(() =>
      frame.current?.querySelector<HTMLElement>(`[data-index="${next}"] [data-row-focus]`)?.focus(),
    )
  }
  /** Selects the loaded rows between two. */
  const selectRange = (from: number, to: number) => {
    const [first, last] = from < to ? [from, to] : [to, from]
    input.onSelectMany(loadedRows(rowAt, Math.max(0, first), last + 1))
  }
  useShortcut('mod+a', t('Select all tasks'), () => input.onSelectMany(loadedRows(rowAt, 0, count)))
  useShortcut('j', t('Next task'), () => goTo(cursor.current + 1))
  useShortcut('k', t('Previous task'), () => goTo(cursor.current - 1))
  usePageArrows((step) => goTo(cursor.current + step))
  useShortcut('x', t('Select task'), () => {
    const row = rowAt(cursor.current)
    if (isTaskRow(row)) onSelect(row.task)
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.defaultPrevented) return
    if (event.metaKey || event.ctrlKey) return
    const at = cursor.current
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      if (event.shiftKey) selectRange(at, Math.max(0, Math.min(count - 1, at + step)))
      return goTo(at + step)
    }
    const row = rowAt(at)
    if (row === undefined || event.shiftKey || ('kind' in row && row.kind === 'more')) return
    if (event.key === 'ArrowRight' && row.isExpanded === false) input.onToggle(at)
    else if (event.key === 'ArrowRight' && row.isExpanded) goTo(at + 1)
    else if (event.key === 'ArrowLeft' && row.isExpanded) input.onToggle(at)
    else if (event.key === 'ArrowLeft' && isTaskRow(row) && levelOf(row) > 0) goTo(rowAbove(rowAt, at))
    else return
    event.preventDefault()
  }
  return { cursor, onKeyDown, selectRange }
}

/** A row of a group stands below its head. */
function levelOf(row: ShownRow | undefined): number {
  return isTaskRow(row) ? row.level + (row.group === undefined ? 0 : 1) : 0
}

/** The row of the parent, or the head of the group, that a row stands below. */
function rowAbove(rowAt: RowKeysInput['rowAt'], index: number): number {
  const level = levelOf(rowAt(index))
  for (let at = index - 1; at >= 0; at--) {
    const row = rowAt(at)
    if (row !== undefined && levelOf(row) < level) return at
  }
  return index
}

function loadedRows(rowAt: RowKeysInput['rowAt'], first: number, end: number): readonly Task[] {
  const tasks: Task[] = []
  for (let at = first; at < end && tasks.length < selected_tasks_max; at++) {
    const row = rowAt(at)
    if (isTaskRow(row)) tasks.push(row.task)
  }
  return tasks
}
