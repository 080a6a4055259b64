/** One time entry: who worked how long on what, with the actions Stop, Edit and Delete. */
import type { TimeEntry } from '@atrium/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import { Pencil, Square, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { ConfirmButton } from '../../app/confirm-button.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { useDirectory, useWrite } from '../../data/index.ts'
import {
  Badge,
  Button,
  CopyId,
  dateTime,
  Fact,
  Facts,
  RelativeTime,
  Sheet,
  Skeleton,
  SkeletonLines,
  useNow,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { EntryDialog } from './entry-dialog.tsx'
import { TaskName } from './entry-task.tsx'
import { useProjectName } from './reads.ts'
import { hours, worked } from './week.ts'

interface EntrySheetProps {
  readonly entry: UseQueryResult<TimeEntry, Error>
  readonly onClose: () => void
  readonly returnTo: () => HTMLElement | null
}

export function EntrySheet({ entry, onClose, returnTo }: EntrySheetProps) {
  const { data } = entry
  return (
    <Sheet
      open
      onClose={onClose}
      returnTo={returnTo}
      title={data?.note ?? t('Time entry')}
      actions={data !== undefined && !entry.error && <Actions entry={data} onDeleted={onClose} />}
    >
      {entry.error ? (
        <ErrorState error={entry.error} onRetry={() => void entry.refetch()} plain />
      ) : data === undefined ? (
        <SkeletonLines lines={10} />
      ) : (
        <EntryFacts entry={data} />
      )}
    </Sheet>
  )
}

const none = <span className="subtle">{t('None')}</span>

function EntryFacts({ entry }: { readonly entry: TimeEntry }) {
  const { nameOf, isLoaded } = useDirectory()
  const { user, task, started_at, ended_at, note } = entry
  return (
    <Facts>
      <Fact name={t('Person')}>{isLoaded ? nameOf(user) : <Skeleton width="8rem" />}</Fact>
      <Fact name={t('Task')}>
        {task === null ? (
          none
        ) : (
          <Link className="link" href={`/work/tasks/${task}`}>
            <TaskName task={task} />
          </Link>
        )}
      </Fact>
      <Fact name={t('Project')}>
        <EntryProject entry={entry} />
      </Fact>
      <Fact name={t('Note')}>{note ?? none}</Fact>
      <Fact name={t('Start')}>{dateTime(started_at)}</Fact>
      <Fact name={t('End')}>{ended_at === null ? <Badge tone="good">{t('Running')}</Badge> : dateTime(ended_at)}</Fact>
      <Fact name={t('Duration')}>
        <Duration entry={entry} />
      </Fact>
      <Fact name={t('Billable')}>{entry.billable ? t('Yes') : t('No')}</Fact>
      <Fact name={t('Logged')}>
        <RelativeTime at={entry.created} />, {entry.source === 'timer' ? t('with the timer') : t('by hand')}
      </Fact>
      <Fact name={t('ID')}>
        <CopyId id={entry.id} />
      </Fact>
    </Facts>
  )
}

/** Counts up while the timer is running. */
function Duration({ entry }: { readonly entry: TimeEntry }) {
  useNow()
  return <strong className="numbers">{hours(worked([entry]))}</strong>
}

function EntryProject({ entry: { workspace, project } }: { readonly entry: TimeEntry }) {
  const name = useProjectName(workspace, project ?? '')
  if (project === null) return none
  if (name === '') return <Skeleton width="8rem" />
  return (
    <Link className="link" href={`/work/projects/${project}`}>
      {name}
    </Link>
  )
}

interface ActionsProps {
  readonly entry: TimeEntry
  readonly onDeleted: () => void
}

function Actions({ entry, onDeleted }: ActionsProps) {
  const [isEditing, setEditing] = useState(false)
  const stop = useWrite({
    write: (atrium, id: string) => atrium.timeEntries.stop(id),
    done: ({ duration_ms }) => t('Timer stopped at {hours}', { hours: hours(duration_ms ?? 0) }),
  })
  const remove = useWrite({
    write: (atrium, id: string) => atrium.timeEntries.delete(id),
    done: () => t('Time entry deleted'),
    toastErrors: false,
  })
  return (
    <>
      {entry.status === 'running' && (
        <Button kind="primary" icon={Square} busy={stop.busy} onClick={() => void stop.run(entry.id)}>
          {t('Stop timer')}
        </Button>
      )}
      <Button icon={Pencil} onClick={() => setEditing(true)}>
        {t('Edit')}
      </Button>
      <ConfirmButton
        action={t('Delete')}
        icon={Trash2}
        title={t('Delete this time entry?')}
        write={remove}
        run={() => remove.run(entry.id)}
        onDone={onDeleted}
      >
        {t('Its hours no longer count in the timesheet. A deleted time entry cannot be restored.')}
      </ConfirmButton>
      {isEditing && <EntryDialog entry={entry} onClose={() => setEditing(false)} />}
    </>
  )
}
