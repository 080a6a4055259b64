/** Who worked how long on which day of a week. */
import './money.css'
import type { TimeEntry } from '@atrium/sdk'
import { ChevronLeft, ChevronRight, Clock } from 'lucide-react'
import { ErrorState } from '../../app/error-state.tsx'
import { useAll, useDirectory, useUrlParam } from '../../data/index.ts'
import { Button, Empty, IconButton, Page, SkeletonLines } from '../../design/index.ts'
import { addDays, dayOf, hours, mondayOf, weekText } from './week.ts'
import { useWorkspace } from './workspace-choice.tsx'

/** The API lists entries by when they were written: so many are looked through. */
const entries_max = 1000

export function TimesheetPage() {
  const [given, setWeek] = useUrlParam('week')
  const monday = mondayOf(given !== null && /^\d{4}-\d\d-\d\d$/.test(given) ? given : dayOf(new Date()))
  const { workspace, error, isNone, choice } = useWorkspace()
  const id = workspace?.id ?? ''
  const entries = useAll(
    'time_entry',
    { workspace: id },
    (atrium) => atrium.timeEntries.list({ workspace: id, limit: 100 }),
    {
      max: entries_max,
      enabled: workspace !== undefined,
    },
  )
  const { isLoaded, nameOf } = useDirectory()
  const failed = error ?? entries.error
  return (
    <Page title="Timesheet" description="Hours by person and day." actions={choice}>
      <div className="money-bar">
        <IconButton icon={ChevronLeft} label="The week before" onClick={() => setWeek(addDays(monday, -7))} />
        <strong className="numbers">{weekText(monday)}</strong>
        <IconButton icon={ChevronRight} label="The next week" onClick={() => setWeek(addDays(monday, 7))} />
        <Button size="s" onClick={() => setWeek(null)}>
          This week
        </Button>
      </div>
      {failed ? (
        <ErrorState error={failed} onRetry={() => void entries.refetch()} />
      ) : isNone ? (
        <Empty icon={Clock} title="No workspace yet">
          Time is written down on tasks, and tasks live in a workspace.
        </Empty>
      ) : entries.data === undefined || !isLoaded ? (
        <SkeletonLines lines={6} />
      ) : (
        <Sheet monday={monday} entries={entries.data} nameOf={nameOf} />
      )}
    </Page>
  )
}

interface SheetProps {
  readonly monday: string
  readonly entries: readonly TimeEntry[]
  readonly nameOf: (user: string) => string
}

function Sheet({ monday, entries, nameOf }: SheetProps) {
  const days = Array.from({ length: 7 }, (_, i) => addDays(monday, i))
  const inWeek = entries.filter(({ started_at }) => days.includes(dayOf(new Date(started_at * 1000))))
  const people = [...Map.groupBy(inWeek, ({ user }) => user)].map(([user, theirs]) => ({
    user,
    name: nameOf(user),
    theirs,
  }))
  if (people.length === 0) {
    return (
      <Empty icon={Clock} title="Nobody wrote hours down in this week">
        Start the timer in a task, or add the time by hand there.
      </Empty>
    )
  }
  const isCut = entries.length === entries_max
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <section className="sheet-wrap" aria-label="Hours by person and day" tabIndex={0}>
        <table className="sheet-table">
          <caption className="unseen">Hours by person and day</caption>
          <thead>
            <tr>
              <th scope="col">Person</th>
              {days.map((day) => (
                <th key={day} scope="col">
                  {new Date(`${day}T12:00:00`).toLocaleDateString('en', { weekday: 'short', day: 'numeric' })}
                </th>
              ))}
              <th scope="col">Week</th>
            </tr>
          </thead>
          <tbody>
            {people
              .sort((a, b) => a.name.localeCompare(b.name))
              .map(({ user, name, theirs }) => (
                <tr key={user}>
                  <th scope="row">{name}</th>
                  {days.map((day) => (
                    <td key={day}>{hours(sumOn(theirs, day))}</td>
                  ))}
                  <td className="sheet-total">{hours(sum(theirs))}</td>
                </tr>
              ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Everybody</th>
              {days.map((day) => (
                <td key={day}>{hours(sumOn(inWeek, day))}</td>
              ))}
              <td>{hours(sum(inWeek))}</td>
            </tr>
          </tfoot>
        </table>
      </section>
      {isCut && <p className="subtle">{`Only the ${entries_max} entries that were written last are counted.`}</p>}
    </>
  )
}

/** A timer that runs counts up to now. */
function sum(entries: readonly TimeEntry[]): number {
  const now = Date.now()
  return entries.reduce(
    (all, { duration_ms, started_at }) => all + (duration_ms ?? Math.max(0, now - started_at * 1000)),
    0,
  )
}

function sumOn(entries: readonly TimeEntry[], day: string): number {
  return sum(entries.filter(({ started_at }) => dayOf(new Date(started_at * 1000)) === day))
}
