/**
 * Edits a time entry. Only changed fields are sent, because the server derives the third of start, end and duration from
 * the other two. The write is refused if the entry changed after the dialog opened.
 */
import type { TimeEntry } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { TaskField } from '../../app/task-field.tsx'
import { fieldErrors, teamWords, useDirectory, useWrite } from '../../data/index.ts'
import { Checkbox, Combobox, DateField, Field, Input } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { useTaskName } from './entry-task.tsx'
import { useProjects } from './reads.ts'

type Fields = Pick<TimeEntry, 'user' | 'task' | 'project' | 'started_at' | 'ended_at' | 'note' | 'billable'>

function changedFields(was: Fields, now: Fields): Partial<Fields> {
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

export function EntryDialog({ entry, onClose }: EntryDialogProps) {
  const [was] = useState(entry)
  const [fields, setFields] = useState<Fields>(() => fieldsOf(entry))
  const put = (change: Partial<Fields>) => setFields({ ...fields, ...change })
  const changes = changedFields(fieldsOf(was), fields)
  const write = useWrite({
    write: (atrium, given: Partial<Fields>) => atrium.timeEntries.update(entry.id, given, { ifMatch: was.revision }),
    done: () => t('Time entry saved'),
    toastErrors: false,
  })
  const faults = fieldErrors(write.error)
  const save = async () => {
    if ((await write.run(changes)) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('Edit time entry')}
      action={t('Save')}
      isReady={Object.keys(changes).length > 0}
      write={write}
      fields={['note', 'started_at', 'ended_at', 'user', 'task', 'project']}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label={t('Note')} error={faults.note}>
        <Input
          value={fields.note ?? ''}
          maxLength={2000}
          onChange={({ currentTarget }) => put({ note: currentTarget.value || null })}
        />
      </Field>
      <TimeFields fields={fields} put={put} faults={faults} isRunning={was.status === 'running'} />
      <OwnerFields entry={was} fields={fields} put={put} faults={faults} />
      <Checkbox label={t('Billable')} checked={fields.billable} onChange={(billable) => put({ billable })} />
    </FormDialog>
  )
}

interface FieldGroupProps {
  readonly fields: Fields
  readonly put: (change: Partial<Fields>) => void
  readonly faults: Readonly<Record<string, string>>
}

/** A running entry has no end. */
function TimeFields({ fields, put, faults, isRunning }: FieldGroupProps & { readonly isRunning: boolean }) {
  return (
    <div className="money-amounts">
      <Field label={t('Start')} error={faults.started_at} required>
        <DateField withTime value={fields.started_at} onChange={(at) => at !== null && put({ started_at: at })} />
      </Field>
      {!isRunning && (
        <Field label={t('End')} error={faults.ended_at} required>
          <DateField withTime value={fields.ended_at} onChange={(at) => at !== null && put({ ended_at: at })} />
        </Field>
      )}
    </div>
  )
}

function OwnerFields({ entry, fields, put, faults }: FieldGroupProps & { readonly entry: TimeEntry }) {
  const { active, teams, nameOf } = useDirectory()
  const projects = useProjects(entry.workspace)
  const taskName = useTaskName(entry.task)
  const people = active.map(({ id, name }) => ({ value: id, label: name, words: teamWords(teams, id) }))
  const isActive = people.some(({ value }) => value === fields.user)
  const choices = isActive ? people : [{ value: fields.user, label: nameOf(fields.user) }, ...people]
  const projectChoices = (projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <Field label={t('Person')} error={faults.user} required>
        <Combobox
          label={t('Person')}
          options={choices}
          value={[fields.user]}
          onChange={([user]) => user !== undefined && put({ user })}
        />
      </Field>
      <TaskField
        workspace={entry.workspace}
        value={fields.task}
        selectedLabel={fields.task === entry.task ? taskName : undefined}
        onChange={(task) => put({ task })}
        error={faults.task}
      />
      <Field label={t('Project')} error={faults.project}>
        <Combobox
          label={t('Project')}
          options={[{ value: '', label: t('No project') }, ...projectChoices]}
          value={[fields.project ?? '']}
          onChange={([project]) => put({ project: project || null })}
        />
      </Field>
    </>
  )
}
