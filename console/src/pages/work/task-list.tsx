/** A list of tasks of any length. Only the rows in view are rendered. */
import './list.css'
import type { Task } from '@atrium/sdk'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { memo, useCallback, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { DueMark, Labels, PersonMark, PriorityMark, StatusMark } from '../../app/tasks/marks.tsx'
import { useMode } from '../../data/index.ts'
import { withOrganization } from '../../data/link-organization.ts'
import { withMode } from '../../data/mode.ts'
import { Checkbox, useAppearance } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { DependencyMarks } from './dependency-marks.tsx'
import { FieldCells, type ShownField } from './field-columns.tsx'
import { GroupEnd, GroupHead } from './group-row.tsx'
import { ParentName } from './parent-name.tsx'
import { useRowWindow } from './row-window.ts'
import { useRowKeys } from './task-list-keys.ts'
import { isTaskRow, type ListRow, type ShownRow } from './task-tree.ts'

/** Rows read in advance beyond those in view. */
const ahead = 60

export interface TaskListProps {
  readonly count: number
  /** Undefined while the row is being read. */
  readonly rowAt: (index: number) => ShownRow | undefined
  /** Reports the rows that should be read. */
  readonly onRange: (first: number, end: number) => void
  /** Whether subtasks stand below their parents. */
  readonly isGrouped: boolean
  readonly selected: ReadonlySet<string>
  readonly onSelect: (task: Task) => void
  readonly onSelectMany: (tasks: readonly Task[]) => void
  /** Expands or collapses a row. */
  readonly onToggle: (index: number) => void
  readonly onOpen: (key: string) => void
  /** The task that is open. */
  readonly current: string | null
  readonly nameOf: (id: string) => string
  readonly projectName: (id: string) => string
  /** Custom fields that are shown as columns. */
  readonly fields: readonly ShownField[]
  /** Whether rows can be dragged. */
  readonly isMovable?: boolean
  /** A row that stays rendered outside the view, because it is dragged. */
  readonly kept?: number | null
}

export function TaskList(props: TaskListProps) {
  const { count, rowAt, onRange, selected, current, nameOf, projectName } = props
  const mode = useMode()
  const frame = useRef<HTMLDivElement>(null)
  const height = useRowHeight()
  const { first, end, reveal } = useRowWindow(frame, count, height)
  useEffect(() => onRange(Math.max(0, first - ahead), Math.min(count, end + ahead)), [onRange, first, end, count])
  const keyboard = useRowKeys({ ...props, frame, reveal })
  const { toggle, selectTo } = useRowActions(props.onToggle, keyboard)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys move between the links of the rows
    <div
      className="task-list"
      data-grouped={props.isGrouped || undefined}
      ref={frame}
      onKeyDown={keyboard.onKeyDown}
      onFocus={({ target }) => {
        const row = target.closest<HTMLElement>('[data-index]')
        if (row) keyboard.cursor.current = Number(row.dataset.index)
      }}
    >
      <ul className="task-rows" aria-label={t('Tasks')} style={{ height: count * height }}>
        {rowsBetween(rowAt, first, end, props.kept ?? null).map(({ key, index, row }) => {
          const place = { index, count, start: index * height }
          if (!isTaskRow(row)) {
            if (row.kind === 'more') return <GroupEnd key={key} row={row} {...place} />
            return <GroupHead key={key} row={row} {...place} onToggle={toggle} />
          }
          const { task } = row
          return (
            <TaskRow
              key={key}
              {...row}
              {...place}
              to={withOrganization(withMode(`/work/tasks/${task.key}`, mode))}
              isSelected={selected.has(task.id)}
              isCurrent={current === task.key || current === task.id}
              isMovable={props.isMovable ?? false}
              person={task.assignee && nameOf(task.assignee)}
              project={task.project && projectName(task.project)}
              fields={props.fields}
              onSelect={props.onSelect}
              onSelectTo={selectTo}
              onToggle={toggle}
              onOpen={props.onOpen}
            />
          )
        })}
      </ul>
    </div>
  )
}

/** Actions that stay the same over renders, so that rows are not rendered for them. */
function useRowActions(onToggle: TaskListProps['onToggle'], keyboard: ReturnType<typeof useRowKeys>) {
  const latest = useRef({ onToggle, keyboard })
  latest.current = { onToggle, keyboard }
  const toggle = useCallback((index: number) => latest.current.onToggle(index), [])
  const selectTo = useCallback((index: number) => {
    const { cursor, selectRange } = latest.current.keyboard
    selectRange(cursor.current < 0 ? index : cursor.current, index)
    cursor.current = index
  }, [])
  return { toggle, selectTo }
}

interface PlacedRow {
  readonly key: string
  readonly index: number
  readonly row: ShownRow
}

/** The rows that are read. A task that moved between two reads is listed once, or once in each of its groups. */
function rowsBetween(rowAt: TaskListProps['rowAt'], first: number, end: number, kept: number | null) {
  const rows = new Map<string, PlacedRow>()
  const add = (index: number) => {
    const row = rowAt(index)
    if (row === undefined) return
    const key = isTaskRow(row) ? `${row.group ?? ''} ${row.task.id}` : `${row.kind} ${row.group}`
    if (!rows.has(key)) rows.set(key, { key, index, row })
  }
  for (let index = first; index < end; index++) add(index)
  if (kept !== null) add(kept)
  return [...rows.values()]
}

interface TaskRowProps extends Pick<TaskListProps, 'fields' | 'onSelect' | 'onToggle' | 'onOpen'>, ListRow {
  readonly index: number
  readonly count: number
  /** Pixels from the top of the list. */
  readonly start: number
  readonly to: string
  readonly isSelected: boolean
  readonly isCurrent: boolean
  readonly isMovable: boolean
  /** Selects from the row of the keyboard to this one. */
  readonly onSelectTo: (index: number) => void
  readonly person: string | null
  readonly project: string | null
}

const TaskRow = memo(function TaskRow(props: TaskRowProps) {
  const { task, index, count, start, isSelected, isCurrent, person, project, fields, onSelect, onSelectTo } = props
  const { isMovable, isHeld } = props
  return (
    <li
      aria-posinset={index + 1}
      aria-setsize={count}
      className="task-row"
      data-index={index}
      data-selected={isSelected || undefined}
      data-current={isCurrent || undefined}
      data-card={isMovable ? task.id : undefined}
      data-task={task.id}
      data-held={isHeld || undefined}
      style={{ transform: `translateY(${start}px)` }}
    >
      <div
        className="task-check"
        onClickCapture={(event) => {
          if (!event.shiftKey) return
          event.preventDefault()
          onSelectTo(index)
        }}
      >
        <Checkbox
          label={t('Select {key}', { key: task.key })}
          hiddenLabel
          checked={isSelected}
          onChange={() => onSelect(task)}
        />
      </div>
      <div className="task-cell-priority">
        <PriorityMark priority={task.priority} />
      </div>
      <div className="task-cell-key task-key numbers">{task.key}</div>
      <div>
        <StatusMark status={task.status} />
      </div>
      <RowTitle {...props} />
      <div className="task-cell-labels">
        <Labels labels={task.labels} max={2} />
      </div>
      <div className="task-cell-project cut subtle">{project}</div>
      <FieldCells task={task} fields={fields} />
      <div className="task-cell-due">
        <DueMark at={task.due_at} status={task.status} />
      </div>
      <div>
        <PersonMark id={task.assignee} name={person} />
      </div>
    </li>
  )
})

/** The title, with what belongs to it: the counts of its subtasks, its parent, and marks. */
function RowTitle({ task, level, isExpanded, index, to, isMovable, onSelectTo, onToggle, onOpen }: TaskRowProps) {
  return (
    <div className="grow task-row-title" style={{ '--level': String(level) }}>
      {isExpanded !== null && (
        <button
          type="button"
          className="task-row-toggle"
          aria-expanded={isExpanded}
          aria-label={t('Subtasks of {key}', { key: task.key })}
          onClick={() => onToggle(index)}
        >
          {isExpanded ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
        </button>
      )}
      <Link
        href={to}
        className="task-row-link cut"
        data-row-focus
        draggable={false}
        aria-keyshortcuts={isMovable ? 'Space' : undefined}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey) return
          event.preventDefault()
          if (event.shiftKey) onSelectTo(index)
          else onOpen(task.key)
        }}
      >
        {task.title}
      </Link>
      {task.subtask_count > 0 && (
        <span
          className="task-row-count numbers"
          title={t('{subtask_done_count} of {subtask_count} subtasks done', {
            subtask_done_count: task.subtask_done_count,
            subtask_count: task.subtask_count,
          })}
        >
          {task.subtask_done_count}/{task.subtask_count}
          <span className="unseen"> {t('subtasks done')}</span>
        </span>
      )}
      {/* What is read later comes last, so that it moves nothing. */}
      {level === 0 && <ParentName task={task} />}
      <DependencyMarks task={task} />
    </div>
  )
}

const row_rem = { comfortable: 2.5, compact: 2 }

/** The height of a row in pixels, from the density and the font size of the reader. */
export function useRowHeight(): number {
  const { density } = useAppearance()
  const [rem, setRem] = useState(fontSize)
  useEffect(() => {
    const measure = () => setRem(fontSize())
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  return row_rem[density] * rem
}

function fontSize(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
}
