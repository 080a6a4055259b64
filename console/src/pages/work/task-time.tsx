/** The time spent on a task: the timer, and the entries logged so far. */
import type { Task, TimeEntry } from '@atrium/sdk'
import { Play, Plus, Square, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { FormDialog } from '../../app/form-dialog.tsx'
import { useRunningEntry } from '../../app/tasks/reads.ts'
import { fieldErrors, remove, useAll, useDirectory, useWrite } from '../../data/index.ts'
import {
  Avatar,
  Button,
  Checkbox,
  DateField,
  duration,
  Field,
  IconButton,
  Input,
  RelativeTime,
  SkeletonLines,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { minutesOf } from './duration-text.ts'
import { Elapsed } from './elapsed.tsx'
import { useTimerStart, useTimerStop } from './writes.ts'

const minute_ms = 60_000
const duration_fault = t('Enter a time such as 45 (minutes), 1:30 or 1.5 h.')

export function TaskTime({ task }: { readonly task: Task }) {
  const [isLogging, setLogging] = useState(false)
  const running = useRunningEntry()
  const list = useAll<TimeEntry>('time_entry', { task: task.id }, (atrium) =>
    atrium.timeEntries.list({ task: task.id, limit: 100 }),
  )
  if (list.error) return <ErrorState error={list.error} onRetry={() => void list.refetch()} plain />
  if (list.data === undefined) return <SkeletonLines lines={2} />
  const total = list.data.reduce((sum, entry) => sum + (entry.duration_ms ?? 0), 0)
  return (
    <div className="stack" style={{ gap: 'var(--s-2)' }}>
      <div className="row" data-wrap>
        <TimerButton task={task} running={running} />
        <Button icon={Plus} size="s" kind="quiet" onClick={() => setLogging(true)}>
          {t('Log time')}
        </Button>
        <span className="grow" />
        {total > 0 && <span className="muted numbers">{t('{total} total', { total: duration(total) })}</span>}
      </div>
      {running !== undefined && running.task !== task.id && (
        <p className="subtle">{t('Your timer is running on another task. Starting it here stops it there.')}</p>
      )}
      {list.data.length > 0 && (
        <ul aria-label={t('Time entries')}>
          {list.data.map((entry) => (
            <EntryView key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
      {isLogging && <LogTimeDialog task={task} onClose={() => setLogging(false)} />}
    </div>
  )
}

function TimerButton({ task, running }: { readonly task: Task; readonly running: TimeEntry | undefined }) {
  const start = useTimerStart()
  const stop = useTimerStop()
  if (running?.task === task.id) {
    return (
      <Button icon={Square} size="s" busy={stop.busy} onClick={() => void stop.run(running)}>
        {t('Stop timer')}
      </Button>
    )
  }
  return (
    <Button icon={Play} size="s" busy={start.busy} onClick={() => void start.run({ task, running })}>
      {t('Start timer')}
    </Button>
  )
}

function EntryView({ entry }: { readonly entry: TimeEntry }) {
  const { nameOf } = useDirectory()
  const { id, task, workspace, user, started_at, ended_at, note, billable } = entry
  const deletion = useWrite({
    write: (atrium, _: null) => atrium.timeEntries.delete(id),
    changes: () => [remove('time_entry', id)],
    done: () => t('Time entry deleted'),
    undo: () =>
      task === null || ended_at === null
        ? null
        : (atrium) => atrium.timeEntries.create({ workspace, task, user, started_at, ended_at, note, billable }),
  })
  const name = nameOf(user)
  return (
    <li className="row task-line">
      <Avatar name={name} id={user} size="s" />
      <Link className="link cut grow" href={`/money/time/${id}`}>
        {name}
        {note && <span className="subtle">: {note}</span>}
      </Link>
      <span className="subtle comment-time">
        <RelativeTime at={started_at} />
      </span>
      <span className="numbers">
        {entry.duration_ms === null ? <Elapsed from={started_at} /> : duration(entry.duration_ms)}
      </span>
      <IconButton icon={X} label={t('Delete time entry')} size="s" onClick={() => void deletion.run(null)} />
    </li>
  )
}

/** Logs a duration that ends now, or when the person says. */
function LogTimeDialog({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [note, setNote] = useState('')
  const [billable, setBillable] = useState(true)
  const [ended, setEnded] = useState<number | null>(() => Math.floor(Date.now() / 1000))
  const minutes = minutesOf(text)
  const write = useWrite({
    write: (atrium, times: { readonly duration_ms: number; readonly ended_at: number }) =>
      atrium.timeEntries.create({
        workspace: task.workspace,
        task: task.id,
        ...times,
        note: note.trim() || null,
        billable,
      }),
    invalidates: ['time_entry'],
    done: (entry) => t('{duration_ms} logged', { duration_ms: duration(entry.duration_ms ?? 0) }),
    undo: (entry) => (atrium) => atrium.timeEntries.delete(entry.id),
    toastErrors: false,
  })
  const faults = fieldErrors(write.error)
  const log = async () => {
    if (minutes === null || ended === null) return
    if ((await write.run({ duration_ms: minutes * minute_ms, ended_at: ended })) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('Log time on {key}', { key: task.key })}
      size="s"
      action={t('Log time')}
      isReady={minutes !== null && ended !== null}
      write={write}
      fields={['duration_ms', 'ended_at', 'note']}
      onSubmit={log}
      onClose={onClose}
    >
      <Field
        label={t('Time spent')}
        hint={t('For example 45 (minutes), 1:30, 1.5 h or 1 h 30 min.')}
        error={faults.duration_ms ?? (text.trim() !== '' && minutes === null ? duration_fault : undefined)}
        required
      >
        <Input value={text} onChange={({ currentTarget }) => setText(currentTarget.value)} />
      </Field>
      <Field label={t('End')} error={faults.ended_at} required>
        <DateField withTime value={ended} onChange={setEnded} />
      </Field>
      <Field label={t('Note')} error={faults.note}>
        <Input value={note} maxLength={2000} onChange={({ currentTarget }) => setNote(currentTarget.value)} />
      </Field>
      <Checkbox label={t('Billable')} checked={billable} onChange={setBillable} />
    </FormDialog>
  )
}
