/** A week's hours by person and day. What was worked leads to the entries that it is the sum of. */
import type { TimeEntry } from '@atrium/sdk'
import { Clock } from 'lucide-react'
import { Link } from 'wouter'
import { Empty } from '../../design/index.ts'
import { addDays, type Cell, dayOfEntry, dayText, hours, worked } from './week.ts'

interface WeekTableProps {
  readonly monday: string
  readonly entries: readonly TimeEntry[]
  readonly nameOf: (user: string) => string
  readonly hrefOf: (cell: Cell) => string
}

export function WeekTable({ monday, entries, nameOf, hrefOf }: WeekTableProps) {
  const days = Array.from({ length: 7 }, (_, i) => addDays(monday, i))
  const inWeek = entries.filter((entry) => days.includes(dayOfEntry(entry)))
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
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <section className="sheet-wrap" aria-label="Hours by person and day" tabIndex={0}>
      <table className="sheet-table">
        <caption className="unseen">Hours by person and day</caption>
        <thead>
          <tr>
            <th scope="col">Person</th>
            {days.map((day) => (
              <th key={day} scope="col">
                {dayText(day)}
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
                  <td key={day}>
                    <HoursOn entries={theirs} name={name} cell={{ person: user, day }} hrefOf={hrefOf} />
                  </td>
                ))}
                <td className="sheet-total">{hours(worked(theirs))}</td>
              </tr>
            ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Everybody</th>
            {days.map((day) => (
              <td key={day}>{hours(worked(inWeek.filter((entry) => dayOfEntry(entry) === day)))}</td>
            ))}
            <td>{hours(worked(inWeek))}</td>
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

/** What the link of a person's day is found by. */
function idOf({ person, day }: Cell): string {
  return `hours-${person}-${day}`
}

/** The link of a person's day, where it is shown. */
export function cellOf(person: string, day: string): HTMLElement | null {
  return document.getElementById(idOf({ person, day }))
}

interface HoursOnProps extends Pick<WeekTableProps, 'entries' | 'hrefOf'> {
  readonly name: string
  readonly cell: Cell
}

function HoursOn({ entries, name, cell, hrefOf }: HoursOnProps) {
  const theirs = entries.filter((entry) => dayOfEntry(entry) === cell.day)
  if (theirs.length === 0) return '—'
  const text = hours(worked(theirs))
  return (
    <Link
      className="sheet-hours"
      id={idOf(cell)}
      href={hrefOf(cell)}
      aria-label={`${text}, ${name} on ${dayText(cell.day)}`}
    >
      {text}
    </Link>
  )
}
