/** The hours of a week by person and day. Each figure links to the entries it adds up. */
import type { TimeEntry } from '@atrium/sdk'
import { Clock } from 'lucide-react'
import { Link } from 'wouter'
import { ButtonLink, Empty } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { addDays, type Cell, dayOfEntry, dayText, hours, worked } from './week.ts'

interface WeekTableProps {
  readonly first: string
  readonly entries: readonly TimeEntry[]
  readonly nameOf: (user: string) => string
  readonly hrefOf: (cell: Cell) => string
}

export function WeekTable({ first, entries, nameOf, hrefOf }: WeekTableProps) {
  const days = Array.from({ length: 7 }, (_, i) => addDays(first, i))
  const inWeek = entries.filter((entry) => days.includes(dayOfEntry(entry)))
  if (inWeek.length === 0) {
    return (
      <Empty
        icon={Clock}
        title={t('No time logged this week')}
        actions={<ButtonLink to="/work/tasks">{t('Go to tasks')}</ButtonLink>}
      >
        {t('Start a timer on a task, or add time there by hand.')}
      </Empty>
    )
  }
  const people = [...Map.groupBy(inWeek, ({ user }) => user)]
    .map(([user, own]) => ({ user, name: nameOf(user), own }))
    .sort((a, b) => a.name.localeCompare(b.name))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="sheet-wrap" aria-label={t('Hours by person and day')} tabIndex={0}>
      <table className="sheet-table">
        <caption className="unseen">{t('Hours by person and day')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('Person')}</th>
            {days.map((day) => (
              <th key={day} scope="col">
                {dayText(day)}
              </th>
            ))}
            <th scope="col">{t('Week')}</th>
          </tr>
        </thead>
        <tbody>
          {people.map((person) => (
            <PersonRow key={person.user} {...person} days={days} hrefOf={hrefOf} />
          ))}
        </tbody>
        <TotalRow days={days} entries={inWeek} />
      </table>
    </section>
  )
}

interface PersonRowProps extends Pick<WeekTableProps, 'hrefOf'> {
  readonly user: string
  readonly name: string
  readonly own: readonly TimeEntry[]
  readonly days: readonly string[]
}

function PersonRow({ user, name, own, days, hrefOf }: PersonRowProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {days.map((day) => (
        <td key={day}>
          <DayHours entries={own} name={name} cell={{ person: user, day }} hrefOf={hrefOf} />
        </td>
      ))}
      <td className="sheet-total">{hours(worked(own))}</td>
    </tr>
  )
}

function TotalRow({ days, entries }: { readonly days: readonly string[]; readonly entries: readonly TimeEntry[] }) {
  return (
    <tfoot>
      <tr>
        <th scope="row">{t('Total')}</th>
        {days.map((day) => (
          <td key={day}>{hours(worked(entries.filter((entry) => dayOfEntry(entry) === day)))}</td>
        ))}
        <td>{hours(worked(entries))}</td>
      </tr>
    </tfoot>
  )
}

function elementId({ person, day }: Cell): string {
  return `hours-${person}-${day}`
}

/** The link of a person's day, if it is on the screen. */
export function cellElement(person: string, day: string): HTMLElement | null {
  return document.getElementById(elementId({ person, day }))
}

interface DayHoursProps extends Pick<WeekTableProps, 'entries' | 'hrefOf'> {
  readonly name: string
  readonly cell: Cell
}

function DayHours({ entries, name, cell, hrefOf }: DayHoursProps) {
  const onDay = entries.filter((entry) => dayOfEntry(entry) === cell.day)
  if (onDay.length === 0) return '—'
  const text = hours(worked(onDay))
  return (
    <Link
      className="sheet-hours"
      id={elementId(cell)}
      href={hrefOf(cell)}
      aria-label={t('{text}, {name} on {day}', { text, name, day: dayText(cell.day) })}
    >
      {text}
    </Link>
  )
}
