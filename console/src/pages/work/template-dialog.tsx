import type { TaskTemplate } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, useAppWrite, useDirectory, useMode } from '../../data/index.ts'
import { Button, Combobox, Dialog, Field, Input, Select, TextArea } from '../../design/index.ts'
import { useProjects, useWorkspaces } from './reads.ts'
import { type Priority, priorityChoices } from './words.ts'

const none = 'none'
const day_s = 86_400
/** What may be given when a task is made of it. */
const overridable = [
  'project',
  'column',
  'title',
  'description',
  'assignee',
  'due_at',
  'status',
  'priority',
  'labels',
  'custom_fields',
]

interface TemplateDialogProps {
  /** Without one it makes one. */
  readonly template?: TaskTemplate
  readonly onClose: () => void
}

export function TemplateDialog({ template, onClose }: TemplateDialogProps) {
  const mode = useMode()
  const place = useTemplatePlace(template)
  const { active } = useDirectory()
  const was = template?.defaults
  const [name, setName] = useState(template?.name ?? '')
  const [title, setTitle] = useState(was?.title ?? '')
  const [text, setText] = useState(was?.description ?? '')
  const [priority, setPriority] = useState((was?.priority ?? none) as Priority)
  const [assignee, setAssignee] = useState(was?.assignee ?? none)
  const [labels, setLabels] = useState<string[]>(was?.labels ?? [])
  const [days, setDays] = useState(was?.due_in_seconds ? String(was.due_in_seconds / day_s) : '')
  const said = { nouns: ['task_template'], done: () => `${name.trim()} saved`, toastErrors: false }
  const create = useAppWrite('POST task-templates', said)
  const update = useAppWrite('PATCH task-templates/{id}', said)
  const { error, busy } = template === undefined ? create : update
  const faults = faultsOf(error)
  const daysFault = days.trim() !== '' && !(Number(days) > 0) ? 'A number of days, more than none.' : undefined
  const isReady = name.trim() !== '' && place.workspace !== undefined && daysFault === undefined && !busy

  const send = async () => {
    if (place.workspace === undefined) return
    const defaults = {
      ...was,
      title: title.trim() || null,
      description: text.trim() || null,
      priority,
      assignee: assignee === none ? null : assignee,
      labels,
      due_in_seconds: days.trim() === '' ? null : Math.round(Number(days) * day_s),
    }
    const fields = { mode, name: name.trim(), defaults }
    const made =
      template === undefined
        ? await create.run({
            body: { ...fields, workspace: place.workspace, project: place.project, overridable },
          })
        : await update.run({ params: { id: template.id }, body: fields })
    if (made !== undefined) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={template === undefined ? 'New template' : `Edit ${template.name}`}
      size="l"
      onSubmit={() => isReady && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={!isReady && !busy}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name of the template" error={faults.name} required>
          <Input value={name} maxLength={500} onChange={({ currentTarget }) => setName(currentTarget.value)} />
        </Field>
        <Field label="Title of the task" hint="Left empty, the name of the template is used.">
          <Input value={title} maxLength={500} onChange={({ currentTarget }) => setTitle(currentTarget.value)} />
        </Field>
        <Field label="Description">
          <TextArea value={text} maxLength={65_536} onChange={({ currentTarget }) => setText(currentTarget.value)} />
        </Field>
        <div className="grid" style={{ '--least': '12rem' } as never}>
          {template === undefined && (
            <Field label="Project" error={faults.project ?? faults.workspace}>
              <Combobox
                label="Project"
                options={place.options}
                value={[place.value]}
                onChange={([to]) => place.choose(to)}
              />
            </Field>
          )}
          <Field label="Priority">
            <Select value={priority} choices={priorityChoices} onChange={setPriority} />
          </Field>
          <Field label="Assignee">
            <Combobox
              label="Assignee"
              options={[
                { value: none, label: 'Nobody' },
                ...active.map(({ id, name: person }) => ({ value: id, label: person })),
              ]}
              value={[assignee]}
              onChange={([user]) => setAssignee(user ?? none)}
            />
          </Field>
          <Field label="Due after days" error={daysFault}>
            <Input inputMode="decimal" value={days} onChange={({ currentTarget }) => setDays(currentTarget.value)} />
          </Field>
          <Field label="Labels">
            <Combobox
              label="Labels"
              multiple
              placeholder="None"
              options={labels.map((label) => ({ value: label, label }))}
              value={labels}
              onChange={setLabels}
              onCreate={(label) => setLabels([...labels, label])}
            />
          </Field>
        </div>
        <FormError error={error} at={['name', 'project', 'workspace']} />
      </div>
    </Dialog>
  )
}

/** Of a workspace as a whole, or of one of its projects. It stays where it was made. */
function useTemplatePlace(template: TaskTemplate | undefined) {
  const workspaces = useWorkspaces().data ?? []
  const projects = (useProjects().data ?? []).filter(({ status }) => status !== 'archived')
  const [chosen, setChosen] = useState<string | null>(null)
  const project = projects.find(({ id }) => id === chosen)
  const workspace =
    template?.workspace ?? project?.workspace ?? workspaces.find(({ id }) => id === chosen)?.id ?? workspaces[0]?.id
  return {
    workspace,
    project: project?.id ?? null,
    value: project?.id ?? workspace ?? '',
    options: [
      ...workspaces.map(({ id, title }) => ({ value: id, label: `All of ${title}` })),
      ...projects.map(({ id, name }) => ({ value: id, label: name })),
    ],
    choose: (to: string | undefined) => to !== undefined && setChosen(to),
  }
}
