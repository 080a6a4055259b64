/** Changes of a time entry. Only what differs is sent: two of its times give the third. */
import type { TimeEntry } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { TaskField } from '../../app/task-field.tsx'
import { faultsOf, useDirectory, useWrite } from '../../data/index.ts'
import { Button, Checkbox, Combobox, DateField, Dialog, Field, Input } from '../../design/index.ts'
import { useTaskName } from './entry-task.tsx'
import { useProjects } from './reads.ts'

type Fields = Pick<TimeEntry, 'user' | 'task' | 'project' | 'started_at' | 'ended_at' | 'note' | 'billable'>

/** The fields that differ from what the entry was when they were opened. */
function changesOf(was: Fields, now: Fields): Partial<Fields> {
  const names = Object.keys(now) as (keyof Fields)[]
  return Object.fromEntries(names.filter((name) => now[name] !== was[name]).map((name) => [name, now[name]]))
}

function fieldsOf({ user, task, project, started_at, ended_at, note, billable }: TimeEntry): Fields {
  return { user, task, project, started_at, ended_at, note, billable }
}

interface EntryDialogProps {
  readonly entry: TimeEntry
  readonly onClose: () => void
}

/** Refused where somebody else has changed the entry since the dialog was opened. */
export function EntryDialog({ entry, onClose }: EntryDialogProps) {
  const [was] = useState(entry)
  const [fields, setFields] = useState<Fields>(() => fieldsOf(entry))
  const put = (change: Partial<Fields>) => setFields({ ...fields, ...change })
  const changes = changesOf(fieldsOf(was), fields)
  const write = useWrite({
    write: (atrium, given: Partial<Fields>) => atrium.timeEntries.update(entry.id, given, { ifMatch: was.revision }),
    done: () => 'Time entry changed',
    toastErrors: false,
  })
  const faults = faultsOf(write.error)
  const isReady = Object.keys(changes).length > 0
  const send = async () => {
    if ((await write.run(changes)) !== undefined) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Edit the time entry"
      onSubmit={() => isReady && !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={!isReady}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Note" error={faults.note}>
          <Input
            value={fields.note ?? ''}
            maxLength={2000}
            onChange={({ currentTarget }) => put({ note: currentTarget.value || null })}
          />
        </Field>
        <Times fields={fields} put={put} faults={faults} isRunning={was.status === 'running'} />
        <Belongings entry={was} fields={fields} put={put} faults={faults} />
        <Checkbox label="Billable" checked={fields.billable} onChange={(billable) => put({ billable })} />
        <FormError error={write.error} at={['note', 'started_at', 'ended_at', 'user', 'task', 'project']} />
      </div>
    </Dialog>
  )
}

interface PartProps {
  readonly fields: Fields
  readonly put: (change: Partial<Fields>) => void
  readonly faults: Readonly<Record<string, string>>
}

/** An entry keeps a start; one that runs has no end before it is stopped. */
function Times({ fields, put, faults, isRunning }: PartProps & { readonly isRunning: boolean }) {
  return (
    <div className="money-amounts">
      <Field label="Began" error={faults.started_at} required>
        <DateField withTime value={fields.started_at} onChange={(at) => at !== null && put({ started_at: at })} />
      </Field>
      {!isRunning && (
        <Field label="Ended" error={faults.ended_at} required>
          <DateField withTime value={fields.ended_at} onChange={(at) => at !== null && put({ ended_at: at })} />
        </Field>
      )}
    </div>
  )
}

function Belongings({ entry, fields, put, faults }: PartProps & { readonly entry: TimeEntry }) {
  const { active, nameOf } = useDirectory()
  const projects = useProjects(entry.workspace)
  const chosen = useTaskName(entry.task)
  const people = active.map(({ id, name }) => ({ value: id, label: name }))
  const isKnown = people.some(({ value }) => value === fields.user)
  const known = isKnown ? people : [{ value: fields.user, label: nameOf(fields.user) }, ...people]
  const named = (projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <Field label="Person" error={faults.user} required>
        <Combobox
          label="Person"
          options={known}
          value={[fields.user]}
          onChange={([user]) => user !== undefined && put({ user })}
        />
      </Field>
      <TaskField
        workspace={entry.workspace}
        value={fields.task}
        chosen={fields.task === entry.task ? chosen : undefined}
        onChange={(task) => put({ task })}
        error={faults.task}
      />
      <Field label="Project" error={faults.project}>
        <Combobox
          label="Project"
          options={[{ value: '', label: 'No project' }, ...named]}
          value={[fields.project ?? '']}
          onChange={([project]) => put({ project: project || null })}
        />
      </Field>
    </>
  )
}
