/** A list of tasks of any length. Only the rows in view are rendered. */
import './list.css'
import type { Task } from '@atrium/sdk'
import { memo, type RefObject, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useShortcut } from '../../app/shortcuts.ts'
import { useMode } from '../../data/index.ts'
import { withMode } from '../../data/mode.ts'
import { Checkbox, useAppearance } from '../../design/index.ts'
import { DueMark, Labels, PersonMark, PriorityMark, StatusMark } from './marks.tsx'
import { useRowWindow } from './row-window.ts'

/** Rows read in advance beyond those in view. */
const ahead = 60

interface TaskListProps {
  readonly count: number
  /** Undefined while the row is being read. */
  readonly rowAt: (index: number) => Task | undefined
  /** Reports the rows that should be read. */
  readonly onRange: (first: number, end: number) => void
  readonly selected: ReadonlySet<string>
  readonly onSelect: (task: Task) => void
  readonly onOpen: (key: string) => void
  /** The task that is open. */
  readonly current: string | null
  readonly nameOf: (id: string) => string
  readonly projectName: (id: string) => string
}

export function TaskList(props: TaskListProps) {
  const { count, rowAt, onRange, selected, onSelect, onOpen, current, nameOf, projectName } = props
  const mode = useMode()
  const frame = useRef<HTMLDivElement>(null)
  const height = useRowHeight()
  const { first, end, reveal } = useRowWindow(frame, count, height)
  useEffect(() => onRange(Math.max(0, first - ahead), Math.min(count, end + ahead)), [onRange, first, end, count])
  const cursor = useRowKeys({ frame, count, rowAt, reveal, onSelect })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only records which row has the focus
    <div
      className="task-list"
      ref={frame}
      onFocus={({ target }) => {
        const row = target.closest<HTMLElement>('[data-index]')
        if (row) cursor.current = Number(row.dataset.index)
      }}
    >
      <ul className="task-rows" aria-label="Tasks" style={{ height: count * height }}>
        {rowsBetween(rowAt, first, end).map(({ task, index }) => (
          <TaskRow
            key={task.id}
            task={task}
            index={index}
            count={count}
            start={index * height}
            to={withMode(`/work/tasks/${task.key}`, mode)}
            isSelected={selected.has(task.id)}
            isCurrent={current === task.key || current === task.id}
            person={task.assignee && nameOf(task.assignee)}
            project={task.project && projectName(task.project)}
            onSelect={onSelect}
            onOpen={onOpen}
          />
        ))}
      </ul>
    </div>
  )
}

interface RowKeysInput extends Pick<TaskListProps, 'count' | 'rowAt' | 'onSelect'> {
  readonly frame: RefObject<HTMLElement | null>
  readonly reveal: (index: number) => void
}

/** j, k and x. Returns the row of the keyboard, which moves at once; the focus follows when the row is rendered. */
function useRowKeys({ frame, count, rowAt, reveal, onSelect }: RowKeysInput) {
  const cursor = useRef(-1)
  const goTo = (index: number) => {
    const next = Math.max(0, Math.min(count - 1, index))
    cursor.current = next
    reveal(next)
    requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>(`[data-index="${next}"] a`)?.focus())
  }
  useShortcut('j', 'Next task', () => goTo(cursor.current + 1))
  useShortcut('k', 'Previous task', () => goTo(cursor.current - 1))
  useShortcut('x', 'Select task', () => {
    const task = rowAt(cursor.current)
    if (task) onSelect(task)
  })
  return cursor
}

/** The rows that are read. A task that moved between two reads is listed once. */
function rowsBetween(rowAt: TaskListProps['rowAt'], first: number, end: number) {
  const rows = new Map<string, { readonly task: Task; readonly index: number }>()
  for (let index = first; index < end; index++) {
    const task = rowAt(index)
    if (task !== undefined && !rows.has(task.id)) rows.set(task.id, { task, index })
  }
  return [...rows.values()]
}

interface TaskRowProps extends Pick<TaskListProps, 'onSelect' | 'onOpen'> {
  readonly task: Task
  readonly index: number
  readonly count: number
  /** Pixels from the top of the list. */
  readonly start: number
  readonly to: string
  readonly isSelected: boolean
  readonly isCurrent: boolean
  readonly person: string | null
  readonly project: string | null
}

const TaskRow = memo(function TaskRow(props: TaskRowProps) {
  const { task, index, count, start, to, isSelected, isCurrent, person, project, onSelect, onOpen } = props
  return (
    <li
      aria-posinset={index + 1}
      aria-setsize={count}
      className="task-row"
      data-index={index}
      data-selected={isSelected || undefined}
      data-current={isCurrent || undefined}
      style={{ transform: `translateY(${start}px)` }}
    >
      <div className="task-check">
        <Checkbox label={`Select ${task.key}`} hiddenLabel checked={isSelected} onChange={() => onSelect(task)} />
      </div>
      <div className="task-cell-priority">
        <PriorityMark priority={task.priority} />
      </div>
      <div className="task-cell-key task-key numbers">{task.key}</div>
      <div>
        <StatusMark status={task.status} />
      </div>
      <div className="grow cut">
        <Link
          href={to}
          className="task-row-link"
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return
            event.preventDefault()
            onOpen(task.key)
          }}
        >
          {task.title}
        </Link>
      </div>
      <div className="task-cell-labels">
        <Labels labels={task.labels} max={2} />
      </div>
      <div className="task-cell-project cut subtle">{project}</div>
      <div className="task-cell-due">
        <DueMark at={task.due_at} status={task.status} />
      </div>
      <div>
        <PersonMark id={task.assignee} name={person} />
      </div>
    </li>
  )
})

const row_rem = { comfortable: 2.5, compact: 2 }

/** The height of a row in pixels, from the density and the font size of the reader. */
function useRowHeight(): number {
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
