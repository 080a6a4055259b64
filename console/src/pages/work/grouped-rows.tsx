/** The list of tasks in groups: a head with the true count, the first tasks of each group that comes into view, more on demand. */
import type { Column, Project, Task } from '@atrium/sdk'
import { RefreshCw } from 'lucide-react'
import { useCallback, useMemo, useRef, useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { useUrlParam } from '../../data/index.ts'
import { Button } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import type { HeldCard } from './board-keyboard.ts'
import type { CardPlace } from './board-order.ts'
import { type GroupRead, rows_first, useGroupCounts, useGroupTasks } from './group-reads.ts'
import { ListBody, type ListBodyProps, RowSkeletons } from './list-body.tsx'
import { type GroupNames, groupsOf, type ListGroup, readCollapsed, writeCollapsed } from './list-groups.ts'
import { lanesOf, useListMove } from './list-move.ts'
import { useShownPlace } from './list-place.ts'
import { isTaskRow, type ShownRow } from './task-tree.ts'

/** Groups whose tasks are read at the same time. */
const groups_read_max = 40

interface GroupedRowsProps extends Omit<ListBodyProps, 'rows' | 'isGrouped' | 'foot'> {
  readonly by: string
  readonly names: GroupNames
  readonly columns: readonly Column[]
  /** The project whose tasks are in manual order; null in another order. */
  readonly project: Project | null
}

export function GroupedRows(props: GroupedRowsProps) {
  const { by, filter, sort, names, columns, project, count, task } = props
  const { counts, error, retry } = useGroupCounts(by, filter, names.now, count)
  const groups = useMemo(() => (counts === undefined ? [] : groupsOf(by, counts, names)), [by, counts, names])
  const { collapsed, toggle } = useCollapsed()
  const isOpen = (group: ListGroup) => group.filter !== null && !collapsed.has(group.id)
  const layout = useRef<Layout>(no_layout)
  const { seen, onRange } = useSeenGroups(layout)
  const near = groups.filter((group) => isOpen(group) && seen.has(group.id))
  const reads = useGroupTasks(near, filter, sort)
  const lanes = project === null ? null : lanesOf(groups, reads.read, columns)
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const move = useListMove({
    ...{ frame, project, lanes: lanes ?? [] },
    placeOf: (index, id) => placeBetween(layout.current, index, id),
  })
  const tasksOf = (group: ListGroup, i: number): readonly Task[] | undefined => {
    const read = reads.read.get(group.id)?.tasks
    if (read === undefined && isOpen(group)) return undefined
    return withHeld(lanes?.[i]?.tasks ?? read?.filter(group.has) ?? [], group.id, move.held)
  }
  layout.current = layoutOf(groups, isOpen, tasksOf, reads, move.held, layout.current)
  const { rows, segments, total } = layout.current
  useShownPlace(task, {
    count: rows.count,
    at: rows.at,
    positionOf: (index) => ({ position: positionOf(segments, index), count: total }),
  })
  if (error !== null && counts === undefined) return <ErrorState error={error} onRetry={retry} plain />
  if (counts === undefined) return <RowSkeletons />
  return (
    <div className="list-groups" ref={setFrame} onKeyDownCapture={move.onKeyDown} onPointerDown={move.onPointerDown}>
      <ListBody
        {...props}
        // A task counts for each of its labels.
        count={by === 'labels' ? count : total}
        isGrouped={false}
        rows={{ ...rows, onRange, toggle: (index) => toggle(rows.at(index)) }}
        isMovable={move.isEnabled}
        kept={move.dragged === null ? null : indexOf(layout.current, move.dragged)}
        foot={reads.hasFailures && <Retry onRetry={reads.retry} />}
      />
      <p className="unseen" role="status" aria-live="assertive">
        {move.announcement}
      </p>
    </div>
  )
}

function Retry({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <Button size="s" icon={RefreshCw} onClick={onRetry}>
      {t('Some tasks could not be loaded. Retry')}
    </Button>
  )
}

/** The collapsed groups, in the address. Collapsing one is no step of the history. */
function useCollapsed() {
  const [text, setText] = useUrlParam('collapsed', '', { typed: true })
  const collapsed = useMemo(() => readCollapsed(text), [text])
  const toggle = (row: ShownRow | undefined) => {
    if (row === undefined || isTaskRow(row)) return
    const next = new Set(collapsed)
    if (!next.delete(row.group)) next.add(row.group)
    setText(writeCollapsed(next))
  }
  return { collapsed, toggle }
}

/** The groups that were near the view last, which are read and kept current. */
function useSeenGroups(layout: { readonly current: Layout }) {
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const onRange = useCallback(
    (first: number, end: number) => {
      const near = layout.current.segments.filter((each) => each.start < end && each.end > first)
      const ids = near.map(({ group }) => group.id)
      setSeen((was) => {
        if (ids.every((id) => was.has(id))) return was
        const others = [...was].filter((id) => !ids.includes(id))
        return new Set([...others, ...ids].slice(-Math.max(groups_read_max, ids.length)))
      })
    },
    [layout],
  )
  return { seen, onRange }
}

/** A group among the rows: its head at `start`, then its tasks, then perhaps its end row. */
interface Segment {
  readonly group: ListGroup
  readonly start: number
  readonly end: number
  /** Tasks of all groups before it. */
  readonly before: number
  readonly isOpen: boolean
  /** Undefined while they are read. */
  readonly tasks: readonly Task[] | undefined
}

interface Layout {
  readonly segments: readonly Segment[]
  /** Tasks of all groups. */
  readonly total: number
  readonly rows: { readonly count: number; readonly at: (index: number) => ShownRow | undefined }
}

const no_layout: Layout = { segments: [], total: 0, rows: { count: 0, at: () => undefined } }

function layoutOf(
  groups: readonly ListGroup[],
  isOpen: (group: ListGroup) => boolean,
  tasksOf: (group: ListGroup, index: number) => readonly Task[] | undefined,
  reads: GroupRead,
  held: HeldCard | null,
  former: Layout,
): Layout {
  const segments: Segment[] = []
  const lengths = new Map(former.segments.map((each) => [each.group.id, each.isOpen ? lengthOf(each) : undefined]))
  let [start, before] = [0, 0]
  for (const [i, group] of groups.entries()) {
    const all = tasksOf(group, i)
    // A collapsed group shows only what is carried into it.
    const tasks = isOpen(group) ? all : all?.filter(({ id }) => id === held?.task.id && held.lane === group.id)
    const isCut = isOpen(group) && tasks !== undefined && reads.read.get(group.id)?.isCut === true
    const length =
      tasks === undefined
        ? (lengths.get(group.id) ?? Math.min(group.count, rows_first + 1))
        : tasks.length + (isCut && left(group, tasks) > 0 ? 1 : 0)
    const end = start + 1 + length
    segments.push({ group, start, end, before, isOpen: isOpen(group), tasks })
    start = end
    before += group.count
  }
  return { segments, total: before, rows: { count: start, at: (index) => rowAt(segments, index, reads, held) } }
}

/** The rows below the head. */
function lengthOf({ start, end }: Segment): number {
  return end - start - 1
}

function left({ count }: ListGroup, tasks: readonly Task[]): number {
  return Math.max(0, count - tasks.length)
}

function segmentAt(segments: readonly Segment[], index: number): Segment | undefined {
  let [low, high] = [0, segments.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((segments[middle]?.start ?? 0) <= index) low = middle
    else high = middle - 1
  }
  const found = segments[low]
  return found !== undefined && index >= found.start && index < found.end ? found : undefined
}

function rowAt(
  segments: readonly Segment[],
  index: number,
  { moreOf }: GroupRead,
  held: HeldCard | null,
): ShownRow | undefined {
  const segment = segmentAt(segments, index)
  if (segment === undefined) return undefined
  const { group, start, tasks, isOpen } = segment
  const { id, name, mark, count, filter } = group
  if (index === start) {
    return { kind: 'head', group: id, name, mark, count, isExpanded: filter === null ? null : isOpen }
  }
  const task = tasks?.[index - start - 1]
  if (task !== undefined) return { task, level: 0, isExpanded: null, group: id, isHeld: held?.task.id === task.id }
  return tasks && { kind: 'more', group: id, name, left: left(group, tasks), onMore: moreOf(id) }
}

/** The tasks of a group without, or with, the one that is carried. */
function withHeld(tasks: readonly Task[], group: string, held: HeldCard | null): readonly Task[] {
  if (held === null) return tasks
  const others = tasks.filter(({ id }) => id !== held.task.id)
  return held.lane === group ? others.toSpliced(held.index, 0, held.task) : others
}

/** The place above a row: in the group of the row before it, at its end if it is collapsed. */
function placeBetween({ segments }: Layout, index: number, id: string): CardPlace | null {
  const segment = segmentAt(segments, Math.max(0, index - 1))
  if (segment === undefined) return null
  if (!segment.isOpen) return { lane: segment.group.id, index: Number.POSITIVE_INFINITY }
  const tasks = segment.tasks ?? []
  const above = Math.min(index - segment.start - 1, tasks.length)
  const own = tasks.findIndex((task) => task.id === id)
  return { lane: segment.group.id, index: own >= 0 && own < above ? above - 1 : above }
}

function indexOf({ segments }: Layout, id: string): number | null {
  for (const { start, tasks = [] } of segments) {
    const at = tasks.findIndex((task) => task.id === id)
    if (at >= 0) return start + 1 + at
  }
  return null
}

/** The position of a row among the tasks of all groups, from 1. */
function positionOf(segments: readonly Segment[], index: number): number {
  const segment = segmentAt(segments, index)
  return segment === undefined ? 1 : segment.before + index - segment.start
}
