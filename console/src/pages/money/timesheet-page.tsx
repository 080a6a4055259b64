/** The timesheet: hours by person and day of a week, with the entries of a day or one entry open beside it. */
import './money.css'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useLocation, useParams, useSearch } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useDirectory, useObject } from '../../data/index.ts'
import { Button, IconButton, Notice, Page, Skeleton, SkeletonLines } from '../../design/index.ts'
import { today } from '../../design/wall-time.ts'
import { t, textLanguage } from '../../language/index.ts'
import { DaySheet } from './day-sheet.tsx'
import { EntrySheet } from './entry-sheet.tsx'
import { addDays, type Cell, dayOfEntry, isDay, weekStartOf, weekText } from './week.ts'
import { entries_max, useWeekEntries, type WeekEntries } from './week-entries.ts'
import { cellElement, WeekTable } from './week-table.tsx'
import { useWorkspace } from './workspace-choice.tsx'

export function TimesheetPage() {
  const { id, entry, cell, first, hrefOf, entryHrefOf, goTo } = useTimesheetUrl()
  const { workspace, choice, missing } = useWorkspace(entry.data?.workspace)
  const workspaceId = workspace?.id ?? ''
  const entries = useWeekEntries(workspace?.id, first)
  /** To the week of the entry, in its workspace. */
  const closeEntry = () => goTo({ ...(first && { week: first }), ...(choice && { workspace: workspaceId }) })
  return (
    <Page title={t('Timesheet')} description={t('Hours by person and day.')} actions={choice}>
      <div className="stack">
        <WeekBar first={first} onChange={(week) => goTo({ week })} />
        {missing ?? <Week entries={entries} first={first} hrefOf={hrefOf} />}
      </div>
      {cell !== null && entries.data !== undefined && (
        <DaySheet {...cell} entries={entries.data} hrefOf={entryHrefOf} onClose={() => goTo({ week: cell.day })} />
      )}
      {id !== undefined && (
        <EntrySheet
          entry={entry}
          onClose={closeEntry}
          returnTo={() => (entry.data === undefined ? null : cellElement(entry.data.user, dayOfEntry(entry.data)))}
        />
      )}
    </Page>
  )
}

interface WeekProps {
  readonly entries: WeekEntries
  readonly first: string | null
  readonly hrefOf: (cell: Cell) => string
}

function Week({ entries, first, hrefOf }: WeekProps) {
  const { isLoaded, nameOf } = useDirectory()
  const { data, error, refetch, isCut } = entries
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (data === undefined || first === null || !isLoaded) return <SkeletonLines lines={6} />
  return (
    <>
      {isCut && (
        <Notice tone="warn" title={t('Hours of this week may be missing')}>
          {t('Only the {entries_max} newest entries are counted.', {
            entries_max: entries_max.toLocaleString(textLanguage()),
          })}
        </Notice>
      )}
      <WeekTable first={first} entries={data} nameOf={nameOf} hrefOf={hrefOf} />
    </>
  )
}

/** The week in the URL, and the entry or the day that is open. */
function useTimesheetUrl() {
  const { id } = useParams()
  const [path, navigate] = useLocation()
  const search = useSearch()
  const entry = useObject('time_entry', id ?? null, (atrium, given) => atrium.timeEntries.retrieve(given))
  const params = new URLSearchParams(search)
  const [week, person, day] = ['week', 'person', 'day'].map((name) => params.get(name))
  const cell: Cell | null = id === undefined && person && isDay(day) ? { person, day } : null
  const dayInUrl = id === undefined ? (cell?.day ?? week) : entry.data && dayOfEntry(entry.data)
  const present = today()
  const base = id === undefined ? path : '/money/time'
  return {
    id,
    entry,
    cell,
    /** `null` while the entry that decides it is being read. */
    first: id !== undefined && entry.isPending ? null : weekStartOf(isDay(dayInUrl) ? dayInUrl : present),
    hrefOf: (to: Cell) => urlWith(base, params, { ...to }),
    entryHrefOf: (to: string) => urlWith(`/money/time/${to}`, params, {}),
    /** Goes to a week, the current one by default, with nothing open. */
    goTo({ week: to = present, ...more }: { readonly week?: string; readonly workspace?: string }) {
      const weekParam: { week?: string } = weekStartOf(to) === weekStartOf(present) ? {} : { week: weekStartOf(to) }
      navigate(urlWith(base, params, { ...weekParam, ...more }), { replace: true })
    },
  }
}

/** Replaces week, person and day, and keeps the other parameters, such as the workspace. */
function urlWith(
  path: string,
  params: URLSearchParams,
  changes: { readonly [name: string]: string | undefined },
): string {
  const next = new URLSearchParams(params)
  for (const name of ['week', 'person', 'day']) next.delete(name)
  for (const [name, value] of Object.entries(changes)) if (value !== undefined) next.set(name, value)
  return next.size === 0 ? path : `${path}?${next}`
}

interface WeekBarProps {
  readonly first: string | null
  readonly onChange: (day: string) => void
}

function WeekBar({ first, onChange }: WeekBarProps) {
  const move = (days: number) => first !== null && onChange(addDays(first, days))
  return (
    <div className="money-bar">
      <IconButton icon={ChevronLeft} label={t('Previous week')} onClick={() => move(-7)} />
      <strong className="numbers money-week">{first === null ? <Skeleton width="8rem" /> : weekText(first)}</strong>
      <IconButton icon={ChevronRight} label={t('Next week')} onClick={() => move(7)} />
      <Button size="s" onClick={() => onChange(today())}>
        {t('This week')}
      </Button>
    </div>
  )
}
