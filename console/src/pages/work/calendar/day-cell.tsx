/** A day of a calendar with its tasks, and a task as it is shown there. */
import type { Task } from '@atrium/sdk'
import { Plus } from 'lucide-react'
import { memo, useState } from 'react'
import { Link } from 'wouter'
import { PersonMark, StatusMark } from '../../../app/tasks/marks.tsx'
import { isOpen } from '../../../app/tasks/values.ts'
import { useDirectory } from '../../../data/index.ts'
import { Button, IconButton, Skeleton, timeOfDay, useNow } from '../../../design/index.ts'
import { Popover } from '../../../design/popover.tsx'
import { t, textLanguage } from '../../../language/index.ts'
import { useIsOpen } from '../task-order.ts'
import type { DayTasks } from './day-reads.ts'
import { type Day, dayName, dayNumber, weekdayName } from './days.ts'

export interface DayActions {
  readonly onOpen: (key: string) => void
  readonly onAdd: (day: Day) => void
  /** Shows all tasks of a day in the list. */
  readonly listHref: (day: Day) => string
}

interface DayCellProps {
  readonly day: Day
  readonly shown: DayTasks
  /** Tasks that the cell shows; the others are behind a button. */
  readonly most: number
  readonly isToday: boolean
  /** The day belongs to the month before or after. */
  readonly isOutside: boolean
  /** The keyboard carries a task to this day. */
  readonly isTarget: boolean
  readonly actions: DayActions
}

/** A task of one line with the gap below it, a further line, and what a task of some lines has besides them. */
const row_px = 27
const line_px = 18
const edge_px = 6
const lines_max = 4

/** The lines that each title has, so that none is cut while there is room. */
function linesOf(most: number, count: number): number {
  return Math.min(lines_max, Math.floor(((row_px * most) / Math.max(count, 1) - edge_px) / line_px))
}

/** Drawn again only if its own tasks change: the days of a full period arrive one after the other. */
export const DayCell = memo(DayCellOf, isSameCell)

function isSameCell(before: DayCellProps, after: DayCellProps): boolean {
  const { shown: a, ...rest } = before
  const { shown: b, ...others } = after
  const isSame = (key: keyof typeof rest) => rest[key] === others[key]
  if (!(Object.keys(rest) as (keyof typeof rest)[]).every(isSame) || a.count !== b.count) return false
  return (
    a.tasks === b.tasks ||
    (a.tasks?.length === b.tasks?.length && a.tasks?.every((task, at) => task === b.tasks?.[at]) === true)
  )
}

function DayCellOf({ day, shown, most, isToday, isOutside, isTarget, actions }: DayCellProps) {
  const { tasks, count } = shown
  const visible = tasks !== undefined && tasks.length > most ? tasks.slice(0, most - 1) : tasks
  const name = dayName(day)
  const lines = linesOf(most, count)
  return (
    <li
      className="calendar-day"
      data-day={day}
      data-today={isToday || undefined}
      data-outside={isOutside || undefined}
      data-empty={count === 0 || undefined}
      data-dense={lines < 2 || undefined}
      data-target={isTarget || undefined}
      style={{ '--lines': String(lines) }}
    >
      <div className="calendar-day-head">
        <h3 className="calendar-day-name" aria-current={isToday ? 'date' : undefined}>
          <span aria-hidden="true" className="calendar-weekday">
            {weekdayName(day)}
          </span>
          <span aria-hidden="true" className="numbers">
            {dayNumber(day)}
          </span>
          <span className="unseen">{t('{name}, {count, plural, one {# task} other {# tasks}}', { name, count })}</span>
        </h3>
        <IconButton icon={Plus} label={t('New task on {name}', { name })} size="s" onClick={() => actions.onAdd(day)} />
      </div>
      {visible === undefined && <Skeleton width="80%" />}
      {visible !== undefined && visible.length > 0 && (
        <ul className="calendar-tasks">
          {visible.map((task) => (
            <DayTask key={task.id} task={task} onOpen={actions.onOpen} />
          ))}
        </ul>
      )}
      {tasks !== undefined && count > (visible?.length ?? 0) && (
        <Others day={day} tasks={tasks} count={count} hidden={count - (visible?.length ?? 0)} actions={actions} />
      )}
    </li>
  )
}

interface OthersProps {
  readonly day: Day
  readonly tasks: readonly Task[]
  readonly count: number
  readonly hidden: number
  readonly actions: DayActions
}

/** The tasks of a day for which its cell has no room. */
function Others({ day, tasks, count, hidden, actions }: OthersProps) {
  const [isShown, setShown] = useState(false)
  const open = (key: string) => {
    setShown(false)
    actions.onOpen(key)
  }
  return (
    <Popover
      label={dayName(day)}
      open={isShown}
      onOpenChange={setShown}
      trigger={
        <Button size="s" kind="quiet" className="calendar-more">
          {t('{hidden} more', { hidden: hidden.toLocaleString(textLanguage()) })}
        </Button>
      }
    >
      <div className="calendar-others">
        <h4 className="calendar-others-title">{dayName(day)}</h4>
        <ul className="calendar-tasks">
          {tasks.map((task) => (
            <DayTask key={task.id} task={task} onOpen={open} />
          ))}
        </ul>
        <Link href={actions.listHref(day)} className="calendar-all">
          {t('All {count} in the list', { count: count.toLocaleString(textLanguage()) })}
        </Link>
      </div>
    </Popover>
  )
}

interface DayTaskProps {
  readonly task: Task
  readonly onOpen: (key: string) => void
}

export function DayTask({ task, onOpen }: DayTaskProps) {
  const { nameOf } = useDirectory()
  const now = useNow()
  const isShown = useIsOpen(task)
  const isLate = task.due_at !== null && task.due_at < now && isOpen(task.status)
  const params = new URLSearchParams(location.search)
  params.set('task', task.key)
  return (
    <li
      className="calendar-task"
      data-card={task.id}
      data-status={task.status}
      data-late={isLate || undefined}
      data-current={isShown || undefined}
    >
      <StatusMark status={task.status} />
      <Link
        href={`${location.pathname}?${params}`}
        className="calendar-link"
        draggable={false}
        aria-keyshortcuts="Space"
        aria-current={isShown || undefined}
        title={`${task.key} ${task.title}${task.due_at === null ? '' : `, ${timeOfDay(task.due_at)}`}`}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          onOpen(task.key)
        }}
      >
        {isLate && <span className="unseen">{t('Overdue:')} </span>}
        <span className="cut">{task.title}</span>
      </Link>
      {task.assignee !== null && <PersonMark id={task.assignee} name={nameOf(task.assignee)} />}
    </li>
  )
}
