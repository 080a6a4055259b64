/** Makes a task from anywhere, with the keyboard alone: title, Enter. */
import type { Task, TasksCreateParams } from '@atrium/sdk'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { FormError } from '../../app/error-state.tsx'
import { toast } from '../../app/toasts.ts'
import { faultsOf, useDirectory, useWrite } from '../../data/index.ts'
import {
  Button,
  Checkbox,
  Combobox,
  DateField,
  Dialog,
  Field,
  Input,
  Notice,
  Select,
  TextArea,
} from '../../design/index.ts'
import { type NewTask, newTask } from './new-task.ts'
import { useColumns, useProjects, useWorkspaces } from './reads.ts'
import { type Priority, priorityChoices } from './words.ts'

const none = 'none'
const storage_key = 'atrium.last-project'

export function QuickCreate({ begin }: { readonly begin: NewTask }) {
  const place = usePlace(begin)
  const [, navigate] = useLocation()
  const { active } = useDirectory()
  const [title, setTitle] = useState('')
  const [description, setDescription] = useState('')
  const [priority, setPriority] = useState<Priority>('none')
  const [assignee, setAssignee] = useState(none)
  const [due_at, setDue] = useState<number | null>(null)
  const [another, setAnother] = useState(false)
  const close = () => newTask(null)
  const write = useWrite<TasksCreateParams, Task>({
    write: (atrium, given) => atrium.tasks.create(given),
    touches: ['task'],
    toastErrors: false,
  })
  const faults = faultsOf(write.error)
  const { workspace } = place
  const isReady = title.trim() !== '' && workspace !== undefined && !write.busy
  const send = async () => {
    if (workspace === undefined) return
    const made = await write.run({
      workspace,
      title: title.trim(),
      priority,
      due_at,
      assignee: assignee === none ? null : assignee,
      project: place.project,
      column: place.columns?.[0]?.id ?? null,
      ...(description.trim() === '' ? {} : { description }),
    })
    if (made === undefined) return
    keep(place.project)
    toast({
      text: `${made.key} made`,
      tone: 'good',
      action: { label: 'Open', run: () => navigate(`/work/tasks/${made.key}`) },
    })
    if (!another) return close()
    setTitle('')
    setDescription('')
  }
  return (
    <Dialog
      open
      onClose={close}
      title="New task"
      size="l"
      onSubmit={() => isReady && void send()}
      actions={
        <>
          <div className="grow">
            <Checkbox label="Make another" checked={another} onChange={setAnother} />
          </div>
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={!isReady && !write.busy}>
            Make the task
          </Button>
        </>
      }
    >
      <div className="stack">
        {place.isEmpty && (
          <Notice tone="warn" title="There is no workspace yet">
            Make one under Work first: tasks belong to one.
          </Notice>
        )}
        <Field label="Title" error={faults.title} required>
          <Input value={title} maxLength={500} onChange={({ currentTarget }) => setTitle(currentTarget.value)} />
        </Field>
        <Field label="Description" error={faults.description}>
          <TextArea
            rows={3}
            maxLength={65_536}
            value={description}
            onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          />
        </Field>
        <div className="grid" style={{ '--least': '12rem' } as never}>
          <Field label="Project" error={faults.project}>
            <Combobox
              label="Project"
              options={place.options}
              value={[place.value]}
              onChange={([to]) => place.choose(to)}
            />
          </Field>
          <Field label="Assignee" error={faults.assignee}>
            <Combobox
              label="Assignee"
              options={[
                { value: none, label: 'Nobody' },
                ...active.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              value={[assignee]}
              onChange={([user]) => setAssignee(user ?? none)}
            />
          </Field>
          <Field label="Priority" error={faults.priority}>
            <Select value={priority} choices={priorityChoices} onChange={setPriority} />
          </Field>
          <Field label="Due" error={faults.due_at}>
            <DateField value={due_at} onChange={setDue} />
          </Field>
        </div>
        <FormError error={write.error} at={['title', 'description', 'project', 'assignee', 'priority', 'due_at']} />
      </div>
    </Dialog>
  )
}

/** Where it goes: what the page asked for, else where the last one went. A workspace without a project can be chosen too. */
function usePlace(begin: NewTask) {
  const workspaces = useWorkspaces().data
  const projects = useProjects().data?.filter(({ status }) => status !== 'archived')
  const [chosen, setChosen] = useState<string | null>(begin.project ?? begin.workspace ?? lastProject())
  const project = projects?.find(({ id }) => id === chosen)
  const bare = workspaces?.find(({ id }) => id === chosen) ?? (projects?.length === 0 ? workspaces?.[0] : undefined)
  const fallback = bare === undefined ? (project ?? projects?.[0]) : undefined
  const { columns } = useColumns(fallback?.id ?? null)
  const titles = new Map(workspaces?.map(({ id, title }) => [id, title]))
  const options = [
    ...(projects ?? []).map(({ id, name, workspace }) => ({
      value: id,
      label: name,
      group: titles.get(workspace) ?? '',
    })),
    ...(workspaces ?? []).map(({ id, title }) => ({
      value: id,
      label: `${title}, no project`,
      group: 'Without a project',
    })),
  ]
  return {
    workspace: bare?.id ?? fallback?.workspace,
    project: fallback?.id ?? null,
    columns: fallback === undefined ? undefined : columns,
    value: bare?.id ?? fallback?.id ?? '',
    options,
    isEmpty: workspaces?.length === 0,
    choose: (to: string | undefined) => to !== undefined && setChosen(to),
  }
}

function lastProject(): string | null {
  try {
    return localStorage.getItem(storage_key)
  } catch {
    return null
  }
}

function keep(project: string | null): void {
  try {
    if (project !== null) localStorage.setItem(storage_key, project)
  } catch {
    // The browser keeps nothing: the first project is offered next time.
  }
}
