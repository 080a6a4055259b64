/** Who worked how long on which day of a week; the entries of a day, and one of them, beside it. */
import './money.css'
import type { TimeEntry } from '@atrium/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, Clock } from 'lucide-react'
import { useLocation, useParams, useSearch } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useAll, useDirectory, useObject } from '../../data/index.ts'
import { Button, Empty, IconButton, Page, Skeleton, SkeletonLines } from '../../design/index.ts'
import { DaySheet } from './day-sheet.tsx'
import { EntrySheet } from './entry-sheet.tsx'
import { addDays, type Cell, dayOf, dayOfEntry, isDay, mondayOf, weekText } from './week.ts'
import { cellOf, WeekTable } from './week-table.tsx'
import { useWorkspace } from './workspace-choice.tsx'

/** The API lists entries by when they were written: so many are looked through. */
const entries_max = 1000

export function TimesheetPage() {
  const { id, entry, cell, monday, hrefOf, entryHrefOf, goTo } = usePlace()
  const { workspace, error, isNone, choice } = useWorkspace(entry.data?.workspace)
  const of = workspace?.id ?? ''
  const entries = useAll(
    'time_entry',
    { workspace: of },
    (atrium) => atrium.timeEntries.list({ workspace: of, limit: 100 }),
    { max: entries_max, enabled: workspace !== undefined && monday !== null },
  )
  /** The week of the entry that is open, in its workspace. */
  const leave = () => goTo({ ...(monday && { week: monday }), ...(choice && { workspace: of }) })
  return (
    <Page title="Timesheet" description="Hours by person and day." actions={choice}>
      <div className="stack">
        <WeekBar monday={monday} onChange={(week) => goTo({ week })} />
        {error ? (
          <ErrorState error={error} />
        ) : isNone ? (
          <Empty icon={Clock} title="No workspace yet">
            Time is written down on tasks, and tasks live in a workspace.
          </Empty>
        ) : (
          <Week entries={entries} monday={monday} hrefOf={hrefOf} />
        )}
      </div>
      {cell !== null && entries.data !== undefined && (
        <DaySheet {...cell} entries={entries.data} hrefOf={entryHrefOf} onClose={() => goTo({ week: cell.day })} />
      )}
      {id !== undefined && (
        <EntrySheet
          entry={entry}
          onClose={leave}
          returnTo={() => (entry.data === undefined ? null : cellOf(entry.data.user, dayOfEntry(entry.data)))}
        />
      )}
    </Page>
  )
}

interface WeekProps {
  readonly entries: UseQueryResult<TimeEntry[], Error>
  readonly monday: string | null
  readonly hrefOf: (cell: Cell) => string
}

function Week({ entries, monday, hrefOf }: WeekProps) {
  const { isLoaded, nameOf } = useDirectory()
  const { data, error, refetch } = entries
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (data === undefined || monday === null || !isLoaded) return <SkeletonLines lines={6} />
  return (
    <>
      <WeekTable monday={monday} entries={data} nameOf={nameOf} hrefOf={hrefOf} />
      {data.length === entries_max && (
        <p className="subtle">{`Only the ${entries_max} entries that were written last are counted.`}</p>
      )}
    </>
  )
}

/** What the address says: the week, and whether an entry or the entries of a day are open. */
function usePlace() {
  const { id } = useParams()
  const [path, navigate] = useLocation()
  const search = useSearch()
  const entry = useObject('time_entry', id ?? null, (atrium, given) => atrium.timeEntries.retrieve(given))
  const params = new URLSearchParams(search)
  const [week, person, day] = ['week', 'person', 'day'].map((name) => params.get(name))
  const cell: Cell | null = id === undefined && person && isDay(day) ? { person, day } : null
  const asked = id === undefined ? (cell?.day ?? week) : entry.data && dayOfEntry(entry.data)
  const today = dayOf(new Date())
  const base = id === undefined ? path : '/money/time'
  return {
    id,
    entry,
    cell,
    /** `null` while it follows from an entry that is still being read. */
    monday: id !== undefined && entry.isPending ? null : mondayOf(isDay(asked) ? asked : today),
    hrefOf: (to: Cell) => addressOf(base, params, { ...to }),
    entryHrefOf: (to: string) => addressOf(`/money/time/${to}`, params, {}),
    /** To a week, this one unless another is given, with nothing open. */
    goTo({ week: to = today, ...more }: { readonly week?: string; readonly workspace?: string }) {
      const other: { week?: string } = mondayOf(to) === mondayOf(today) ? {} : { week: mondayOf(to) }
      navigate(addressOf(base, params, { ...other, ...more }), { replace: true })
    },
  }
}

/** With what the address says besides, as the workspace. */
function addressOf(
  path: string,
  params: URLSearchParams,
  more: { readonly [name: string]: string | undefined },
): string {
  const next = new URLSearchParams(params)
  for (const name of ['week', 'person', 'day']) next.delete(name)
  for (const [name, value] of Object.entries(more)) if (value !== undefined) next.set(name, value)
  return next.size === 0 ? path : `${path}?${next}`
}

interface WeekBarProps {
  readonly monday: string | null
  readonly onChange: (day: string) => void
}

function WeekBar({ monday, onChange }: WeekBarProps) {
  const move = (days: number) => monday !== null && onChange(addDays(monday, days))
  return (
    <div className="money-bar">
      <IconButton icon={ChevronLeft} label="The week before" onClick={() => move(-7)} />
      <strong className="numbers money-week">{monday === null ? <Skeleton width="8rem" /> : weekText(monday)}</strong>
      <IconButton icon={ChevronRight} label="The next week" onClick={() => move(7)} />
      <Button size="s" onClick={() => onChange(dayOf(new Date()))}>
        This week
      </Button>
    </div>
  )
}
