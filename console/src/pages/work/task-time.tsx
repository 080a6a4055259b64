/** Time that was spent on a task: a timer for now, and what was entered. */
import type { Task, TimeEntry } from '@atrium/sdk'
import { Play, Plus, Square, X } from 'lucide-react'
import { useState } from 'react'
import { ErrorState, FormError } from '../../app/error-state.tsx'
import { faultsOf, remove, useAll, useDirectory, useWrite } from '../../data/index.ts'
import {
  Avatar,
  Button,
  Checkbox,
  Dialog,
  duration,
  Field,
  IconButton,
  Input,
  RelativeTime,
  SkeletonLines,
} from '../../design/index.ts'
import { Elapsed } from './elapsed.tsx'
import { useRunningEntry } from './reads.ts'
import { useTimerStart, useTimerStop } from './writes.ts'

const minute_ms = 60_000

export function TaskTime({ task }: { readonly task: Task }) {
  const [isEntering, setEntering] = useState(false)
  const running = useRunningEntry()
  const start = useTimerStart()
  const stop = useTimerStop()
  const list = useAll<TimeEntry>('time_entry', { task: task.id }, (atrium) =>
    atrium.timeEntries.list({ task: task.id, limit: 100 }),
  )
  if (list.error) return <ErrorState error={list.error} onRetry={() => void list.refetch()} plain />
  if (list.data === undefined) return <SkeletonLines lines={2} />
  const total = list.data.reduce((sum, entry) => sum + (entry.duration_ms ?? 0), 0)
  const own = running?.task === task.id ? running : undefined
  return (
    <div className="stack" style={{ gap: 'var(--s-2)' }}>
      <div className="row" data-wrap>
        {own ? (
          <Button icon={Square} size="s" busy={stop.busy} onClick={() => void stop.run(own)}>
            Stop the timer
          </Button>
        ) : (
          <Button icon={Play} size="s" busy={start.busy} onClick={() => void start.run({ task, running })}>
            Start the timer
          </Button>
        )}
        <Button icon={Plus} size="s" kind="quiet" onClick={() => setEntering(true)}>
          Enter time
        </Button>
        <span className="grow" />
        {total > 0 && <span className="muted numbers">{duration(total)} in all</span>}
      </div>
      {running !== undefined && own === undefined && (
        <p className="subtle">Your timer runs on another task. Starting it here stops it there.</p>
      )}
      {list.data.length > 0 && (
        <ul aria-label="Time entries">
          {list.data.map((entry) => (
            <EntryView key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
      {isEntering && <EnterTime task={task} onClose={() => setEntering(false)} />}
    </div>
  )
}

function EntryView({ entry }: { readonly entry: TimeEntry }) {
  const { nameOf } = useDirectory()
  const { id, task, workspace, user, started_at, ended_at, note, billable } = entry
  const drop = useWrite({
    write: (atrium, _: null) => atrium.timeEntries.delete(id),
    changes: () => [remove('time_entry', id)],
    done: () => 'Time entry deleted',
    undo: () =>
      task === null || ended_at === null
        ? null
        : (atrium) => atrium.timeEntries.create({ workspace, task, user, started_at, ended_at, note, billable }),
  })
  const name = nameOf(user)
  return (
    <li className="row task-line">
      <Avatar name={name} id={user} size="s" />
      <span className="cut grow">
        {name}
        {note && <span className="subtle">: {note}</span>}
      </span>
      <span className="subtle comment-time">
        <RelativeTime at={started_at} />
      </span>
      <span className="numbers">
        {entry.duration_ms === null ? <Elapsed from={started_at} /> : duration(entry.duration_ms)}
      </span>
      <IconButton icon={X} label="Delete this entry" size="s" onClick={() => void drop.run(null)} />
    </li>
  )
}

function EnterTime({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) {
  const [spent, setSpent] = useState('')
  const [note, setNote] = useState('')
  const [billable, setBillable] = useState(true)
  const minutes = minutesOf(spent)
  const write = useWrite({
    write: (atrium, duration_ms: number) =>
      atrium.timeEntries.create({
        workspace: task.workspace,
        task: task.id,
        duration_ms,
        ended_at: Math.floor(Date.now() / 1000),
        note: note.trim() || null,
        billable,
      }),
    touches: ['time_entry'],
    done: (entry) => `${duration(entry.duration_ms ?? 0)} entered`,
    undo:
      ({ id }) =>
      (atrium) =>
        atrium.timeEntries.delete(id),
    toastErrors: false,
  })
  const send = async () => {
    if (minutes !== null && (await write.run(minutes * minute_ms)) !== undefined) onClose()
  }
  const faults = faultsOf(write.error)
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Time on ${task.key}`}
      size="s"
      onSubmit={() => !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={minutes === null}>
            Enter
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Time spent" hint="Until now: 45, 1:30, 1.5 h or 1 h 30 min." error={faults.duration_ms} required>
          <Input value={spent} onChange={({ currentTarget }) => setSpent(currentTarget.value)} />
        </Field>
        <Field label="Note" error={faults.note}>
          <Input value={note} maxLength={2000} onChange={({ currentTarget }) => setNote(currentTarget.value)} />
        </Field>
        <Checkbox label="Billable" checked={billable} onChange={setBillable} />
        <FormError error={write.error} at={['duration_ms', 'note']} />
      </div>
    </Dialog>
  )
}

/** 45 → 45; 1:30 → 90; 1.5 h → 90; 1 h 30 min → 90. `null` where it is none of these. */
export function minutesOf(text: string): number | null {
  const given = text.trim().toLowerCase()
  const clock = /^(\d{1,3}):([0-5]\d)$/.exec(given)
  if (clock) return positive(Number(clock[1]) * 60 + Number(clock[2]))
  const words = /^(?:(\d+(?:\.\d+)?)\s*h)?\s*(?:(\d+)\s*(?:min|m)?)?$/.exec(given)
  if (given === '' || words === null) return null
  return positive(Math.round(Number(words[1] ?? 0) * 60 + Number(words[2] ?? 0)))
}

function positive(minutes: number): number | null {
  return minutes > 0 ? minutes : null
}
