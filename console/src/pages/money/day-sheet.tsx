/** The time entries of one person on one day. */
import type { TimeEntry } from '@atrium/sdk'
import { Link } from 'wouter'
import { useDirectory } from '../../data/index.ts'
import { Badge, Empty, Sheet, timeOfDay } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { TaskName } from './entry-task.tsx'
import { type Cell, dayOfEntry, hours, longDay, worked } from './week.ts'

interface DaySheetProps extends Cell {
  readonly entries: readonly TimeEntry[]
  readonly hrefOf: (entry: string) => string
  readonly onClose: () => void
}

export function DaySheet({ person, day, entries, hrefOf, onClose }: DaySheetProps) {
  const { nameOf } = useDirectory()
  const shown = entries.filter((entry) => entry.user === person && dayOfEntry(entry) === day)
  return (
    <Sheet open onClose={onClose} title={nameOf(person)} description={`${longDay(day)}: ${hours(worked(shown))}`}>
      {shown.length === 0 ? (
        <Empty plain title={t('No time logged on this day')} />
      ) : (
        <ul aria-label={t('Time entries')}>
          {shown
            .toSorted((a, b) => a.started_at - b.started_at)
            .map((entry) => (
              <li key={entry.id}>
                <EntryLink entry={entry} href={hrefOf(entry.id)} />
              </li>
            ))}
        </ul>
      )}
    </Sheet>
  )
}

function EntryLink({ entry, href }: { readonly entry: TimeEntry; readonly href: string }) {
  const { started_at, ended_at, note, status } = entry
  return (
    <Link className="day-entry" href={href}>
      <span className="subtle numbers">
        {timeOfDay(started_at)}
        {ended_at !== null && ` – ${timeOfDay(ended_at)}`}
      </span>
      <span className="day-entry-what">
        <TaskName task={entry.task} />
        {note !== null && <span className="subtle cut">{note}</span>}
      </span>
      {status === 'running' && <Badge tone="good">{t('Running')}</Badge>}
      <span className="numbers">{hours(worked([entry]))}</span>
    </Link>
  )
}
