/** Creates a task from any page, by keyboard alone: title, Enter. */
import type { Task, TasksCreateParams } from '@atrium/sdk'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { FormDialog } from '../../app/form-dialog.tsx'
import { toast } from '../../app/toasts.ts'
import { fieldErrors, useWrite } from '../../data/index.ts'
import { Checkbox, Combobox, DateField, Field, Input, Notice, Select, TextArea } from '../../design/index.ts'
import { AssigneeChoice } from './assignee-choice.tsx'
import { closeNewTask, type NewTask } from './new-task.ts'
import { useColumns, useProjects, useWorkspaces } from './reads.ts'
import { type Priority, priorityChoices } from './task-values.ts'

const storage_key = 'atrium.last-project'

interface Fields {
  readonly title: string
  readonly description: string
  readonly priority: Priority
  readonly assignee: string | null
  readonly due_at: number | null
}

const empty: Fields = { title: '', description: '', priority: 'none', assignee: null, due_at: null }

export function QuickCreate({ proposal }: { readonly proposal: NewTask }) {
  const target = useTarget(proposal)
  const [, navigate] = useLocation()
  const [fields, setFields] = useState({ ...empty, due_at: proposal.due_at ?? null })
  const [createsAnother, setCreatesAnother] = useState(false)
  const write = useWrite<TasksCreateParams, Task>({
    write: (atrium, params) => atrium.tasks.create(params),
    invalidates: ['task'],
    toastErrors: false,
  })
  const { workspace, project, columns } = target
  const title = fields.title.trim()
  const next = () => {
    rememberProject(project)
    if (createsAnother) setFields({ ...fields, title: '', description: '' })
    else closeNewTask()
  }
  const create = async () => {
    if (workspace === undefined) return
    const { description, ...rest } = fields
    const text = description.trim() === '' ? {} : { description }
    const column = columns?.[0]?.id ?? null
    const task = await write.run({ ...rest, ...text, title, workspace, project, column }, next)
    if (task === undefined) return
    toast({
      text: `${task.key} created`,
      tone: 'good',
      action: { label: 'Open', run: () => navigate(`/work/tasks/${task.key}`) },
    })
    next()
  }
  return (
    <FormDialog
      title="New task"
      size="l"
      action="Create"
      isReady={title !== '' && workspace !== undefined}
      write={{ ...write, isKept: false }}
      fields={['title', 'description', 'project', 'assignee', 'priority', 'due_at']}
      aside={
        <div className="grow">
          <Checkbox label="Create another" checked={createsAnother} onChange={setCreatesAnother} />
        </div>
      }
      onSubmit={create}
      onClose={closeNewTask}
    >
      <TaskFields fields={fields} onChange={setFields} target={target} faults={fieldErrors(write.error)} />
    </FormDialog>
  )
}

interface TaskFieldsProps {
  readonly fields: Fields
  readonly onChange: (fields: Fields) => void
  readonly target: ReturnType<typeof useTarget>
  readonly faults: Readonly<Record<string, string>>
}

function TaskFields({ fields, onChange, target, faults }: TaskFieldsProps) {
  const put = (change: Partial<Fields>) => onChange({ ...fields, ...change })
  return (
    <>
      {target.hasNoWorkspace && (
        <Notice tone="warn" title="No workspace yet">
          Tasks belong to a workspace. Create one under Work first.
        </Notice>
      )}
      <Field label="Title" error={faults.title} required>
        <Input
          value={fields.title}
          maxLength={500}
          onChange={({ currentTarget }) => put({ title: currentTarget.value })}
        />
      </Field>
      <Field label="Description" error={faults.description}>
        <TextArea
          rows={3}
          maxLength={65_536}
          value={fields.description}
          onChange={({ currentTarget }) => put({ description: currentTarget.value })}
        />
      </Field>
      <div className="grid" style={{ '--least': '12rem' }}>
        <Field label="Project" error={faults.project}>
          <Combobox
            label="Project"
            options={target.options}
            value={[target.value]}
            onChange={([to]) => to !== undefined && target.choose(to)}
          />
        </Field>
        <Field label="Assignee" error={faults.assignee}>
          <AssigneeChoice value={fields.assignee} onChange={(assignee) => put({ assignee })} />
        </Field>
        <Field label="Priority" error={faults.priority}>
          <Select value={fields.priority} choices={priorityChoices} onChange={(priority) => put({ priority })} />
        </Field>
        <Field label="Due date" error={faults.due_at}>
          <DateField value={fields.due_at} onChange={(due_at) => put({ due_at })} />
        </Field>
      </div>
    </>
  )
}

/**
 * The project or workspace of the new task: the proposed one, else that of the last new task, else the first project. A
 * workspace without a project can be chosen, too.
 */
function useTarget(proposal: NewTask) {
  const workspaces = useWorkspaces().data
  const projects = useProjects().data?.filter(({ status }) => status !== 'archived')
  const [chosen, choose] = useState<string | null>(proposal.project ?? proposal.workspace ?? lastProject())
  const chosenProject = projects?.find(({ id }) => id === chosen)
  const firstWorkspace = projects?.length === 0 ? workspaces?.[0] : undefined
  const workspace = workspaces?.find(({ id }) => id === chosen) ?? firstWorkspace
  const project = workspace === undefined ? (chosenProject ?? projects?.[0]) : undefined
  const { columns } = useColumns(project?.id ?? null)
  const titles = new Map(workspaces?.map(({ id, title }) => [id, title]))
  const options = [
    ...(projects ?? []).map(({ id, name, workspace: of }) => ({ value: id, label: name, group: titles.get(of) ?? '' })),
    ...(workspaces ?? []).map(({ id, title }) => ({ value: id, label: `${title}, no project`, group: 'No project' })),
  ]
  return {
    workspace: workspace?.id ?? project?.workspace,
    project: project?.id ?? null,
    columns: project === undefined ? undefined : columns,
    value: workspace?.id ?? project?.id ?? '',
    options,
    hasNoWorkspace: workspaces?.length === 0,
    choose,
  }
}

function lastProject(): string | null {
  try {
    return localStorage.getItem(storage_key)
  } catch {
    return null
  }
}

function rememberProject(project: string | null): void {
  try {
    if (project !== null) localStorage.setItem(storage_key, project)
  } catch {
    // Without storage, the first project is proposed next time.
  }
}
