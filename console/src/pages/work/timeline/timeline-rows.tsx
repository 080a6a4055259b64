/** Tasks as bars on a time axis. Rows and days outside of the window are not rendered. */
import './timeline.css'
import type { Task } from '@atrium/sdk'
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { isOpen } from '../../../app/tasks/values.ts'
import { useMode } from '../../../data/index.ts'
import { withOrganization } from '../../../data/link-organization.ts'
import { withMode } from '../../../data/mode.ts'
import { useNow } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { GroupEnd, GroupHead } from '../group-row.tsx'
import { useRowWindow } from '../row-window.ts'
import { type TaskListProps, useRowHeight } from '../task-list.tsx'
import { useRowKeys } from '../task-list-keys.ts'
import { useManyRelations } from '../task-relations.ts'
import { isTaskRow, type ShownRow } from '../task-tree.ts'
import { Arrows, type PlacedBar } from './arrows.tsx'
import { AxisHead } from './axis-head.tsx'
import { type BarDrag, useBarDrag } from './bar-drag.ts'
import { useBarKeys } from './bar-keys.ts'
import { useBarWrites } from './bar-writes.ts'
import { barOf, type Dates, followersOf, movedDates, plannedDates } from './bars.ts'
import { dayAt, dayX, momentX, type Scale } from './scale.ts'
import { useAxis } from './timeline-bar.tsx'
import { type RowActions, TimelineRow } from './timeline-row.tsx'
import { type AxisWindow, useAxisWindow } from './timeline-view.ts'

/** Rows read in advance beyond those in view. */
const ahead = 60
/** Tasks that are shown moving along with a dragged one. */
const shown_followers_max = 100
const head_rem = 3

export function TimelineRows(props: TaskListProps) {
  const { count, rowAt, onRange } = props
  const { frame, root, attach } = useFrame()
  const height = useRowHeight()
  const axis = useAxis()
  const { scale } = axis
  const { first, end, reveal: revealRow } = useRowWindow(frame, count, height)
  const view = useAxisWindow(frame, scale, axis.at)
  useEffect(() => onRange(Math.max(0, first - ahead), Math.min(count, end + ahead)), [onRange, first, end, count])
  const rows = rowsBetween(rowAt, first, end)
  const edit = useEdits({ frame, root, scale, rows, rowAt, count, view, movesChain: axis.movesChain })
  const reveal = (index: number) => {
    revealRow(index)
    keepAboveEdge(frame.current, index, height)
  }
  const keyboard = useRowKeys({ ...props, frame, reveal })
  const actions = useRowActions(props, keyboard, view.reveal)
  const width = scale.days * scale.day_px
  const { name_px } = view.shown
  const bars = placedBars(rows, edit.datesOf, scale)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys move between the links of the rows
    <div
      className="gantt-frame"
      ref={attach}
      onKeyDown={(event) => {
        if (!edit.onKeyDown(event)) keyboard.onKeyDown(event)
      }}
      onPointerDown={edit.release}
      onFocus={({ target }) => {
        const row = target.closest<HTMLElement>('[data-index]')
        if (row) keyboard.cursor.current = Number(row.dataset.index)
      }}
    >
      <div className="gantt-canvas" style={{ width: width + name_px }}>
        <AxisHead scale={scale} today={axis.today} shown={view.shown} />
        <div
          className="gantt-body"
          style={{ height: count * height, '--day': `${scale.day_px}px` }}
          data-zoom={scale.zoom}
        >
          <TodayLine scale={scale} />
          <ul className="gantt-rows" aria-label={t('Tasks')}>
            {rows.map((placed) => (
              <Row
                key={placed.key}
                {...{ placed, height, scale, edit, actions, keyboard }}
                view={view.shown}
                list={props}
              />
            ))}
          </ul>
          <div className="gantt-over" style={{ left: name_px }}>
            <Arrows
              relations={edit.relations}
              bars={bars}
              row_px={height}
              {...{ width, height: count * height }}
              line={edit.line}
              onRemove={edit.onUnlink}
            />
          </div>
        </div>
      </div>
      <div className="unseen" role="status">
        {edit.announcement}
      </div>
    </div>
  )
}

/** The frame as a reference, and as a state that effects follow. */
function useFrame() {
  const frame = useRef<HTMLDivElement | null>(null)
  const [root, setRoot] = useState<HTMLElement | null>(null)
  const attach = useCallback((element: HTMLDivElement | null) => {
    frame.current = element
    setRoot(element)
  }, [])
  return { frame, root, attach }
}

/** The row stays above the lower edge, because the head of the axis covers the upper one. */
function keepAboveEdge(frame: HTMLElement | null, index: number, height: number): void {
  if (frame === null) return
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const lowest = (index + 1) * height + head_rem * rem - frame.clientHeight
  if (frame.scrollTop < lowest) frame.scrollTop = lowest
}

interface PlacedRow {
  readonly key: string
  readonly index: number
  readonly row: ShownRow
}

function rowsBetween(rowAt: TaskListProps['rowAt'], first: number, end: number): readonly PlacedRow[] {
  const rows = new Map<string, PlacedRow>()
  for (let index = first; index < end; index++) {
    const row = rowAt(index)
    if (row === undefined) continue
    const key = isTaskRow(row) ? `${row.group ?? ''} ${row.task.id}` : `${row.kind} ${row.group}`
    if (!rows.has(key)) rows.set(key, { key, index, row })
  }
  return [...rows.values()]
}

function placedBars(rows: readonly PlacedRow[], datesOf: (task: Task) => Dates, scale: Scale) {
  const bars = new Map<string, PlacedBar>()
  for (const { index, row } of rows) {
    if (!isTaskRow(row) || bars.has(row.task.id)) continue
    const bar = barOf(datesOf(row.task))
    if (bar === null) continue
    const [left, right] = [dayX(scale, bar.from), dayX(scale, bar.to) + scale.day_px]
    bars.set(row.task.id, { key: row.task.key, index, left, right })
  }
  return bars
}

interface RowProps {
  readonly placed: PlacedRow
  readonly height: number
  readonly scale: Scale
  readonly edit: ReturnType<typeof useEdits>
  readonly actions: RowActions
  readonly view: AxisWindow
  readonly list: TaskListProps
}

function Row({ placed: { index, row }, height, scale, edit, actions, view, list }: RowProps) {
  const mode = useMode()
  const now = useNow()
  const place = { index, count: list.count, start: index * height }
  if (!isTaskRow(row)) {
    if (row.kind === 'more') return <GroupEnd row={row} {...place} />
    return <GroupHead row={row} {...place} onToggle={actions.onToggle} />
  }
  const { task } = row
  const dates = edit.datesOf(task)
  const bar = barOf(dates)
  const left = bar === null ? null : dayX(scale, bar.from)
  const right = bar === null ? 0 : dayX(scale, bar.to) + scale.day_px
  return (
    <TimelineRow
      {...row}
      index={index}
      count={list.count}
      top={index * height}
      to={withOrganization(withMode(`/work/tasks/${task.key}`, mode))}
      person={task.assignee && list.nameOf(task.assignee)}
      isSelected={list.selected.has(task.id)}
      isCurrent={list.current === task.key || list.current === task.id}
      moved={dates === task ? null : dates}
      isTarget={edit.target === task.id}
      left={left}
      width={left === null ? 0 : right - left}
      beyond={left === null ? null : right <= view.from ? 'before' : left >= view.to ? 'after' : null}
      isLate={task.due_at !== null && task.due_at < now && isOpen(task.status)}
      actions={actions}
    />
  )
}

/** Actions that stay the same over renders, so that rows are not rendered for them. */
function useRowActions(
  props: TaskListProps,
  keyboard: ReturnType<typeof useRowKeys>,
  onReveal: ReturnType<typeof useAxisWindow>['reveal'],
): RowActions {
  const latest = useRef({ props, keyboard, onReveal })
  latest.current = { props, keyboard, onReveal }
  return useMemo(
    () => ({
      onToggle: (index) => latest.current.props.onToggle(index),
      onSelect: (task) => latest.current.props.onSelect(task),
      onOpen: (key) => latest.current.props.onOpen(key),
      onSelectTo: (index) => {
        const { cursor, selectRange } = latest.current.keyboard
        selectRange(cursor.current < 0 ? index : cursor.current, index)
        cursor.current = index
      },
      onShow: (task) => {
        const bar = barOf(task)
        if (bar !== null) latest.current.onReveal(bar)
      },
    }),
    [],
  )
}

interface EditInput {
  readonly frame: { readonly current: HTMLElement | null }
  readonly root: HTMLElement | null
  readonly scale: Scale
  readonly rows: readonly PlacedRow[]
  readonly rowAt: TaskListProps['rowAt']
  readonly count: number
  readonly view: ReturnType<typeof useAxisWindow>
  readonly movesChain: boolean
}

/** Bars that are moved by pointer or keyboard, and dependencies that are drawn. */
function useEdits(input: EditInput) {
  const { root, scale, rows, view, movesChain } = input
  const writes = useBarWrites()
  const tasks = rows.flatMap(({ row }) => (isTaskRow(row) ? [row.task] : []))
  const relations = useManyRelations(useSettledTasks(tasks))
  const find = (id: string | undefined) => tasks.find((task) => task.id === id)
  const [drag, setDrag] = useState<BarDrag | null>(null)
  const keys = useBarKeys({
    taskOf: (element) => find(element.closest<HTMLElement>('[data-task]')?.dataset.task),
    beside: (task, step) => tasks[tasks.findIndex(({ id }) => id === task.id) + step],
    step_days: scale.zoom === 'quarter' ? 7 : 1,
    onMove: ({ task, part, days, dates }) =>
      part === 'whole' && movesChain ? void writes.move(task, part, days, true) : writes.setDates(task, dates),
    onPlan: writes.setDates,
    onLink: (from, to) => void writes.link.run({ from, to }),
    onShow: view.reveal,
  })
  useBarDrag(root, scale.day_px, {
    onChange: setDrag,
    onDrop: (dropped) => {
      const task = find(dropped.task)
      if (task === undefined) return
      if (dropped.grip === 'link') {
        const target = find(taskAt(dropped.at))
        if (target !== undefined && target.id !== task.id) void writes.link.run({ from: task, to: target })
      } else if (dropped.grip === 'plan') writes.setDates(task, plannedAt(root, scale, dropped))
      else void writes.move(task, dropped.grip, dropped.days, movesChain)
    },
  })
  const linksOf = useCallback((id: string) => relations.get(id)?.rows ?? [], [relations])
  const moved = movedTasks({ drag, held: keys.held, find, linksOf, movesChain, root, scale })
  return {
    relations,
    announcement: keys.announcement,
    datesOf: (task: Task): Dates => moved.get(task.id) ?? task,
    target: drag?.grip === 'link' ? taskAt(drag.at) : (keys.held?.target?.id ?? null),
    line: drag?.grip === 'link' && root !== null ? lineOf(root, drag) : null,
    onKeyDown: keys.onKeyDown,
    release: keys.release,
    onUnlink: (link: Parameters<typeof writes.unlink.run>[0]['link']) => {
      const from = find(link.from)
      if (from !== undefined) void writes.unlink.run({ link, from })
    },
  }
}

/** The tasks whose dependencies are read: after their rows are drawn, so that a turn of the wheel is two short tasks. */
function useSettledTasks(tasks: readonly Task[]): readonly Task[] {
  const ids = tasks.map(({ id, parent }) => `${id} ${parent}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these two parts of a task matter
  return useDeferredValue(useMemo(() => tasks, [ids]))
}

interface MovedInput {
  readonly drag: BarDrag | null
  readonly held: ReturnType<typeof useBarKeys>['held']
  readonly find: (id: string) => Task | undefined
  readonly linksOf: Parameters<typeof followersOf>[1]
  readonly movesChain: boolean
  readonly root: HTMLElement | null
  readonly scale: Scale
}

/** The dates of the tasks that are being moved. */
function movedTasks({ drag, held, find, linksOf, movesChain, root, scale }: MovedInput): ReadonlyMap<string, Dates> {
  const moved = new Map<string, Dates>()
  if (held !== null && held.target === null) moved.set(held.task.id, held.dates)
  const task = drag === null ? undefined : find(drag.task)
  if (drag === null || task === undefined || drag.grip === 'link') return moved
  if (drag.grip === 'plan') return moved.set(task.id, plannedAt(root, scale, drag))
  moved.set(task.id, movedDates(task, drag.grip, drag.days))
  if (!movesChain || drag.grip !== 'whole') return moved
  for (const id of followersOf(task.id, linksOf, shown_followers_max)) {
    const follower = find(id)
    if (follower !== undefined) moved.set(id, movedDates(follower, 'whole', drag.days))
  }
  return moved
}

/** The place of a point of the window among the rows, in pixels. */
function placeOf(root: HTMLElement, { x, y }: { readonly x: number; readonly y: number }) {
  const box = root.querySelector('.gantt-over')?.getBoundingClientRect()
  return { x: x - (box?.left ?? 0), y: y - (box?.top ?? 0) }
}

function lineOf(root: HTMLElement, drag: BarDrag) {
  return { from: drag.task, ...placeOf(root, drag.at) }
}

function plannedAt(root: HTMLElement | null, scale: Scale, drag: BarDrag): Dates {
  const now = root === null ? 0 : placeOf(root, drag.at).x
  const to = dayAt(scale, now)
  return plannedDates(dayAt(scale, now - drag.days * scale.day_px), to)
}

/** The task of the row under a point of the window. */
function taskAt({ x, y }: { readonly x: number; readonly y: number }): string | undefined {
  const element = document.elementsFromPoint(x, y).find((each) => each.closest('[data-task]') !== null)
  return element?.closest<HTMLElement>('[data-task]')?.dataset.task
}

function TodayLine({ scale }: { readonly scale: Scale }) {
  const now = useNow()
  const x = momentX(scale, now)
  if (x < 0 || x > scale.days * scale.day_px) return null
  return <div className="gantt-today" style={{ '--x': `${x}px` }} aria-hidden="true" />
}
