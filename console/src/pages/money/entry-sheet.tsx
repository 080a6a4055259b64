/** One time entry: who worked how long on what, and what can be done with it. */
import type { TimeEntry } from '@atrium/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import { Pencil, Square, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { ErrorState, FormError } from '../../app/error-state.tsx'
import { useDirectory, useWrite } from '../../data/index.ts'
import {
  Badge,
  Button,
  ConfirmDialog,
  CopyText,
  dateTime,
  Fact,
  Facts,
  RelativeTime,
  Sheet,
  Skeleton,
  SkeletonLines,
  useNow,
} from '../../design/index.ts'
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
      title={data?.note ?? 'Time entry'}
      actions={data !== undefined && !entry.error && <Actions entry={data} onGone={onClose} />}
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

function EntryFacts({ entry }: { readonly entry: TimeEntry }) {
  const { nameOf, isLoaded } = useDirectory()
  const { user, task, started_at, ended_at, note } = entry
  return (
    <Facts>
      <Fact name="Person">{isLoaded ? nameOf(user) : <Skeleton width="8rem" />}</Fact>
      <Fact name="Task">
        {task === null ? (
          <span className="subtle">none</span>
        ) : (
          <Link className="link" href={`/work/tasks/${task}`}>
            <TaskName task={task} />
          </Link>
        )}
      </Fact>
      <Fact name="Project">
        <EntryProject entry={entry} />
      </Fact>
      <Fact name="Note">{note ?? <span className="subtle">none</span>}</Fact>
      <Fact name="Began">{dateTime(started_at)}</Fact>
      <Fact name="Ended">{ended_at === null ? <Badge tone="good">runs</Badge> : dateTime(ended_at)}</Fact>
      <Fact name="Hours">
        <Hours entry={entry} />
      </Fact>
      <Fact name="Billable">{entry.billable ? 'yes' : 'no'}</Fact>
      <Fact name="Written down">
        {entry.source === 'timer' ? 'by a timer' : 'by hand'}, <RelativeTime at={entry.created} />
      </Fact>
      <Fact name="Id">
        <CopyText text={entry.id} />
      </Fact>
    </Facts>
  )
}

/** Of a timer that runs they grow while one looks. */
function Hours({ entry }: { readonly entry: TimeEntry }) {
  useNow()
  return <strong className="numbers">{hours(worked([entry]))}</strong>
}

function EntryProject({ entry: { workspace, project } }: { readonly entry: TimeEntry }) {
  const name = useProjectName(workspace, project ?? '')
  if (project === null) return <span className="subtle">none</span>
  if (name === '') return <Skeleton width="8rem" />
  return (
    <Link className="link" href={`/work/projects/${project}`}>
      {name}
    </Link>
  )
}

interface ActionsProps {
  readonly entry: TimeEntry
  readonly onGone: () => void
}

function Actions({ entry, onGone }: ActionsProps) {
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null)
  const stop = useWrite({
    write: (atrium, id: string) => atrium.timeEntries.stop(id),
    done: ({ duration_ms }) => `Timer stopped at ${hours(duration_ms ?? 0)}`,
  })
  const remove = useWrite({
    write: (atrium, id: string) => atrium.timeEntries.delete(id),
    done: () => 'Time entry deleted',
    toastErrors: false,
  })
  const gone = async () => {
    if ((await remove.run(entry.id)) !== undefined) onGone()
  }
  const close = () => setOpen(null)
  return (
    <>
      {entry.status === 'running' && (
        <Button kind="primary" icon={Square} busy={stop.busy} onClick={() => void stop.run(entry.id)}>
          Stop the timer
        </Button>
      )}
      <Button icon={Pencil} onClick={() => setOpen('edit')}>
        Edit
      </Button>
      <Button icon={Trash2} onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {open === 'edit' && <EntryDialog entry={entry} onClose={close} />}
      <ConfirmDialog
        open={open === 'delete'}
        onClose={close}
        title="Delete this time entry?"
        action="Delete the entry"
        busy={remove.busy}
        error={<FormError error={remove.error} />}
        onConfirm={() => void gone()}
      >
        Its hours are not counted any more, and it cannot be brought back; its events and audit entries stay.
      </ConfirmDialog>
    </>
  )
}
