/** Tasks by the day on which they are due, by month or week. Filter, period and the open task are in the address. */
import './calendar.css'
import { ChevronLeft, ChevronRight, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ErrorState } from '../../../app/error-state.tsx'
import { FilterBar } from '../../../app/filter/bar.tsx'
import { useVocabulary } from '../../../app/filter/vocabulary.ts'
import { LayoutLinks } from '../../../app/layout-links.tsx'
import { inProject, projectOf } from '../../../app/project-filter.ts'
import { useShortcut } from '../../../app/shortcuts.ts'
import { useUrlPanel, useUrlParam } from '../../../data/index.ts'
import { Button, Empty, IconButton, Page, Segments, useNow } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { useTaskQuery } from '../layout-query.ts'
import { openNewTask } from '../new-task.ts'
import { useTasksHead } from '../project-head.tsx'
import { SavedFilters } from '../saved-filters.tsx'
import { useBoardPlace, useShownOrder } from '../task-order.ts'
import { panel_params, TaskSheet } from '../task-sheet.tsx'
import { type DayActions, DayCell, DayTask } from './day-cell.tsx'
import { type DayTasks, usePeriodTasks, useUnplanned } from './day-reads.ts'
import {
  addDays,
  type Day,
  dayOf,
  dueOn,
  isDay,
  isInMonth,
  movedBy,
  periodName,
  type Span,
  shownDays,
  startOf,
} from './days.ts'
import { type Held, no_day, useDayMoves } from './move-day.ts'
import { useRoom } from './room.ts'

/** Tasks that are read of a full day. */
const read_max: Readonly<Record<Span, number>> = { month: 20, week: 60 }

const no_columns: readonly string[] = []

export function CalendarPage() {
  const { value: open, open: onOpen, close } = useUrlPanel('task', panel_params)
  const query = useTaskQuery()
  const { filter } = query
  const { head, tools, barOf } = useTasksHead(t('Calendar'), filter, query.apply)
  const period = usePeriod()
  const { span, days } = period
  const read = usePeriodTasks(filter, days, read_max[span])
  const vocabulary = useVocabulary(read.tasks)
  useShownOrder(read.tasks)
  const place = useBoardPlace(open)
  const project = projectOf(filter).project
  const actions = useMemo<DayActions>(
    () => ({
      onOpen,
      onAdd: (day) => openNewTask({ ...(project === null ? {} : { project }), due_at: dueOn(day, null) }),
      listHref: (day) => listHref(filter, day),
    }),
    [onOpen, project, filter],
  )
  return (
    <Page
      {...head}
      width="full"
      fixed
      actions={
        <>
          <LayoutLinks current="calendar" filter={filter} />
          <SavedFilters
            current={query.saved}
            filter={filter}
            sort={query.sort}
            layout="calendar"
            group={query.group}
            columns={no_columns}
            onChoose={query.choose}
          />
          {tools}
          <Button kind="primary" icon={Plus} onClick={() => openNewTask(project === null ? {} : { project })}>
            {t('New task')}
          </Button>
        </>
      }
      tabs={
        <>
          <FilterBar {...barOf(read.fault)} vocabulary={vocabulary} />
          <PeriodBar {...period} />
        </>
      }
    >
      {read.error !== null && <ErrorState error={read.error} onRetry={read.retry} />}
      {read.fault !== null ? (
        <Empty plain title={t('The filter is not valid')}>
          {t('Fix the highlighted part, then press Enter.')}
        </Empty>
      ) : (
        <Days {...{ filter, period, read, actions }} />
      )}
      {open !== null && <TaskSheet id={open} place={place} onClose={close} onOpen={onOpen} />}
    </Page>
  )
}

function listHref(filter: string, day: Day): string {
  const due = `due_at >= ${startOf(day)} AND due_at < ${startOf(addDays(day, 1))}`
  const { project, rest } = projectOf(filter)
  const all = rest === '' ? due : `(${rest}) AND ${due}`
  const text = project === null ? all : inProject(project, all)
  return `/work/tasks?${new URLSearchParams({ filter: text, sort: 'due_at' })}`
}

interface Period {
  readonly span: Span
  readonly at: Day
  readonly today: Day
  readonly days: readonly Day[]
  readonly hasTray: boolean
  readonly setSpan: (span: string) => void
  readonly setAt: (day: Day) => void
  readonly setTray: (isShown: boolean) => void
}

/** The period of the address; today's month without one. */
function usePeriod(): Period {
  const today = dayOf(useNow())
  const [spanParam, setSpan] = useUrlParam('span', 'month')
  const [atParam, setAt] = useUrlParam('at')
  const [tray, setTray] = useUrlParam('unplanned', '')
  const span: Span = spanParam === 'week' ? 'week' : 'month'
  const at = atParam !== null && isDay(atParam) ? atParam : today
  return {
    ...{ span, at, today, setSpan, hasTray: tray !== '' },
    days: useMemo(() => shownDays(span, at), [span, at]),
    setAt: (day) => setAt(day === today ? null : day),
    setTray: (isShown) => setTray(isShown ? 'on' : ''),
  }
}

function PeriodBar({ span, at, today, hasTray, setSpan, setAt, setTray }: Period) {
  const step = (count: number) => setAt(movedBy(span, at, count))
  useShortcut('t', t('Today'), () => setAt(today))
  const previous = span === 'month' ? t('Previous month') : t('Previous week')
  const next = span === 'month' ? t('Next month') : t('Next week')
  useShortcut('p', previous, () => step(-1))
  useShortcut('n', next, () => step(1))
  return (
    <div className="calendar-bar">
      <Button size="s" onClick={() => setAt(today)}>
        {t('Today')}
      </Button>
      <IconButton icon={ChevronLeft} label={previous} keys="p" size="s" onClick={() => step(-1)} />
      <IconButton icon={ChevronRight} label={next} keys="n" size="s" onClick={() => step(1)} />
      <h2 className="calendar-period" aria-live="polite">
        {periodName(span, at)}
      </h2>
      <span className="grow" />
      <Button size="s" kind="quiet" aria-pressed={hasTray} onClick={() => setTray(!hasTray)}>
        {t('No due date')}
      </Button>
      <Segments
        label={t('Period')}
        value={span}
        choices={[
          { value: 'month', label: t('Month') },
          { value: 'week', label: t('Week') },
        ]}
        onChange={setSpan}
      />
    </div>
  )
}

interface DaysProps {
  readonly filter: string
  readonly period: Period
  readonly read: ReturnType<typeof usePeriodTasks>
  readonly actions: DayActions
}

function Days({ filter, period, read, actions }: DaysProps) {
  const { span, at, today, days, hasTray, setAt } = period
  const [root, setRoot] = useState<HTMLElement | null>(null)
  const unplanned = useUnplanned(filter, hasTray)
  const find = (id: string) => [...read.tasks, ...(unplanned.tasks ?? [])].find((task) => task.id === id)
  const onDay = (day: Day) => {
    if (!days.includes(day)) setAt(day)
  }
  const most = useRoom(root, span, days.length)
  const { held, announcement, onKeyDown, release } = useDayMoves({ root, find, onDay })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the links inside
    <div className="calendar" ref={setRoot} onKeyDown={onKeyDown} onPointerDown={release}>
      <div className="calendar-scroll" data-span={span}>
        <ol className="calendar-grid" aria-label={periodName(span, at)} aria-busy={read.isPending}>
          {days.map((day) => (
            <DayCell
              key={day}
              day={day}
              shown={withHeld(read.of(day), day, held)}
              most={most}
              isToday={day === today}
              isOutside={span === 'month' && !isInMonth(day, at)}
              isTarget={held?.day === day}
              actions={actions}
            />
          ))}
        </ol>
      </div>
      {hasTray && <Tray {...unplanned} held={held} onOpen={actions.onOpen} />}
      <div className="unseen" role="status">
        {announcement}
      </div>
    </div>
  )
}

/** A task that the keyboard carries stands on its target day. */
function withHeld(shown: DayTasks, day: Day, held: Held | null): DayTasks {
  if (held === null) return shown
  const others = shown.tasks?.filter(({ id }) => id !== held.task.id)
  return { ...shown, tasks: held.day === day ? [held.task, ...(others ?? [])] : others }
}

interface TrayProps extends ReturnType<typeof useUnplanned> {
  readonly held: Held | null
  readonly onOpen: (key: string) => void
}

/** Open tasks without a due date, to be dragged to a day. A task that is dropped here loses its date. */
function Tray({ tasks, isCut, held, onOpen }: TrayProps) {
  const shown = tasks?.filter(({ id }) => id !== held?.task.id)
  return (
    <section className="calendar-tray" data-day={no_day} aria-label={t('No due date')}>
      <h3 className="calendar-tray-title">{t('No due date')}</h3>
      {tasks?.length === 0 && <p className="subtle">{t('Every open task has a date.')}</p>}
      <ul className="calendar-tasks">
        {shown?.map((task) => (
          <DayTask key={task.id} task={task} onOpen={onOpen} />
        ))}
      </ul>
      {isCut && <p className="subtle">{t('Only the newest are shown. A filter leads to the others.')}</p>}
    </section>
  )
}
