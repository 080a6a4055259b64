/** A row of the timeline: the task's name, which stays at the left, and its bar. */
import type { Task } from '@atrium/sdk'
import { ChevronDown, ChevronLeft, ChevronRight } from 'lucide-react'
import { memo } from 'react'
import { Link } from 'wouter'
import { PersonMark, StatusMark } from '../../../app/tasks/marks.tsx'
import { isOpen } from '../../../app/tasks/values.ts'
import { Checkbox } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import type { ListRow } from '../task-tree.ts'
import { namesOf } from './bar-keys.ts'
import type { Dates } from './bars.ts'
import { barOf } from './bars.ts'
import { shortSpan } from './names.ts'

export interface RowActions {
  readonly onToggle: (index: number) => void
  readonly onSelect: (task: Task) => void
  readonly onSelectTo: (index: number) => void
  readonly onOpen: (key: string) => void
  /** Scrolls to the bar of a task. */
  readonly onShow: (task: Task) => void
}

/** A finger on a narrower bar moves it. */
const narrow_px = 90
/** What a title needs within a bar, roughly: one that does not fit stands beside it. */
const letter_px = 6.5
const inset_px = 20

interface TimelineRowProps extends ListRow {
  readonly index: number
  readonly count: number
  readonly top: number
  readonly to: string
  readonly person: string | null
  readonly isSelected: boolean
  readonly isCurrent: boolean
  /** The dates while the bar is moved. */
  readonly moved: Dates | null
  /** A dependency would end here. */
  readonly isTarget: boolean
  /** Pixels of the bar on the axis; null without dates. */
  readonly left: number | null
  readonly width: number
  /** Where the bar is, if the window does not show it. */
  readonly beyond: 'before' | 'after' | null
  readonly isLate: boolean
  readonly actions: RowActions
}

export const TimelineRow = memo(function TimelineRow(props: TimelineRowProps) {
  const { task, index, count, top, isSelected, isCurrent, isTarget, moved, left, width, beyond, actions } = props
  return (
    <li
      aria-posinset={index + 1}
      aria-setsize={count}
      className="gantt-row"
      data-index={index}
      data-task={task.id}
      data-selected={isSelected || undefined}
      data-current={isCurrent || undefined}
      data-target={isTarget || undefined}
      style={{ top }}
    >
      <RowName {...props} />
      <div className="gantt-lane" data-grip={left === null && !task.is_archived ? 'plan' : undefined}>
        {left !== null && <TaskBar {...props} left={left} width={width} />}
        {beyond !== null && moved === null && (
          <button type="button" className="gantt-beyond" data-at={beyond} onClick={() => actions.onShow(task)}>
            {beyond === 'before' ? <ChevronLeft aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
            <span>{shortSpan(task)}</span>
          </button>
        )}
      </div>
    </li>
  )
})

function RowName({ task, level, isExpanded, index, to, person, isSelected, moved, actions }: TimelineRowProps) {
  return (
    <div className="gantt-name" style={{ '--level': String(level) }}>
      <div className="task-check gantt-check">
        <Checkbox
          label={t('Select {key}', { key: task.key })}
          hiddenLabel
          checked={isSelected}
          onChange={() => actions.onSelect(task)}
        />
      </div>
      {isExpanded !== null && (
        <button
          type="button"
          className="task-row-toggle"
          aria-expanded={isExpanded}
          aria-label={t('Subtasks of {key}', { key: task.key })}
          onClick={() => actions.onToggle(index)}
        >
          {isExpanded ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
        </button>
      )}
      <StatusMark status={task.status} />
      <Link
        href={to}
        className="gantt-link cut grow"
        data-row-focus
        draggable={false}
        aria-keyshortcuts="Space"
        title={`${task.key} ${task.title}`}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey) return
          event.preventDefault()
          if (event.shiftKey) actions.onSelectTo(index)
          else actions.onOpen(task.key)
        }}
      >
        {task.title}
        <span className="unseen">{`, ${namesOf(moved ?? task)}`}</span>
      </Link>
      <span className="gantt-person">
        <PersonMark id={task.assignee} name={person} />
      </span>
    </div>
  )
}

type TaskBarProps = TimelineRowProps & { readonly left: number }

/** The bar is a second way to what the name's link does, so it takes no focus. */
function TaskBar({ task, moved, left, width, isLate, actions }: TaskBarProps) {
  const dates = moved ?? task
  const isFixed = task.is_archived
  const bar = barOf(dates)
  return (
    <div
      className="gantt-bar"
      aria-hidden="true"
      data-grip={isFixed ? undefined : 'whole'}
      data-status={task.status}
      data-late={isLate || undefined}
      data-moved={moved !== null || undefined}
      data-open-end={dates.due_at === null || undefined}
      data-point={dates.start_at === null || undefined}
      data-narrow={width < narrow_px || undefined}
      data-beside={width < inset_px + letter_px * task.title.length || undefined}
      data-closed={!isOpen(task.status) || undefined}
      title={`${task.key} ${task.title}\n${namesOf(dates)}`}
      style={{ left, width }}
      onClick={() => actions.onOpen(task.key)}
    >
      {!isFixed && <span className="gantt-grip" data-grip="start" />}
      <span className="gantt-text">{task.title}</span>
      {!isFixed && <span className="gantt-grip" data-grip="due" />}
      {!isFixed && task.project !== null && <span className="gantt-dot" data-grip="link" />}
      {moved !== null && bar !== null && <span className="gantt-dates numbers">{shortSpan(dates)}</span>}
    </div>
  )
}
