import type { TaskTemplate } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { useProjects, useWorkspaces } from '../../app/tasks/reads.ts'
import { type Priority, priorityChoices } from '../../app/tasks/values.ts'
import { fieldErrors, useAppWrite, useMode } from '../../data/index.ts'
import { Combobox, Field, Input, Select, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { AssigneeChoice } from './assignee-choice.tsx'

const day_s = 86_400
/** The fields that may be set when a task is created from the template: all of them. */
const overridable = [
  ...['project', 'column', 'title', 'description', 'assignee'],
  ...['due_at', 'status', 'priority', 'labels', 'custom_fields'],
]

interface Fields {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly priority: Priority
  readonly assignee: string | null
  readonly labels: readonly string[]
  /** Days until a new task is due, as typed. */
  readonly days: string
}

function fieldsOf(template: TaskTemplate | undefined): Fields {
  const defaults = template?.defaults
  return {
    name: template?.name ?? '',
    title: defaults?.title ?? '',
    description: defaults?.description ?? '',
    priority: (defaults?.priority ?? 'none') as Priority,
    assignee: defaults?.assignee ?? null,
    labels: defaults?.labels ?? [],
    days: defaults?.due_in_seconds ? String(defaults.due_in_seconds / day_s) : '',
  }
}

interface TemplateDialogProps {
  /** Undefined to create a template. */
  readonly template?: TaskTemplate
  readonly onClose: () => void
}

export function TemplateDialog({ template, onClose }: TemplateDialogProps) {
  const target = useTarget(template)
  const [fields, setFields] = useState(() => fieldsOf(template))
  const write = useTemplateWrite(template, target)
  const hasValidDays = fields.days.trim() === '' || Number(fields.days) > 0
  const save = async () => {
    if ((await write.run(fields)) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={template === undefined ? t('New template') : t('Edit {name}', { name: template.name })}
      size="l"
      action={template === undefined ? t('Create') : t('Save')}
      isReady={fields.name.trim() !== '' && target.workspace !== undefined && hasValidDays}
      write={write}
      fields={['name', 'project', 'workspace']}
      onSubmit={save}
      onClose={onClose}
    >
      <TemplateFields
        fields={fields}
        onChange={setFields}
        target={template === undefined ? target : null}
        faults={{
          ...fieldErrors(write.error),
          ...(hasValidDays ? {} : { days: t('Enter a number of days greater than 0.') }),
        }}
      />
    </FormDialog>
  )
}

function useTemplateWrite(template: TaskTemplate | undefined, { workspace, project }: Target) {
  const mode = useMode()
  const options = {
    nouns: ['task_template'],
    done: () => t('Template saved'),
    toastErrors: false,
  }
  const create = useAppWrite('POST task-templates', options)
  const update = useAppWrite('PATCH task-templates/{id}', options)
  const run = async (fields: Fields) => {
    if (workspace === undefined) return undefined
    const name = fields.name.trim()
    const defaults = { ...template?.defaults, ...defaultsOf(fields) }
    return template === undefined
      ? await create.run({ body: { mode, name, defaults, workspace, project, overridable } })
      : await update.run({ params: { id: template.id }, body: { mode, name, defaults } })
  }
  const { busy, error } = template === undefined ? create : update
  return { run, busy, error }
}

function defaultsOf({ title, description, priority, assignee, labels, days }: Fields) {
  return {
    title: title.trim() || null,
    description: description.trim() || null,
    priority,
    assignee,
    labels,
    due_in_seconds: days.trim() === '' ? null : Math.round(Number(days) * day_s),
  }
}

interface TemplateFieldsProps {
  readonly fields: Fields
  readonly onChange: (fields: Fields) => void
  /** Null for an existing template, which cannot be moved. */
  readonly target: Target | null
  readonly faults: Readonly<Record<string, string>>
}

function TemplateFields({ fields, onChange, target, faults }: TemplateFieldsProps) {
  const put = (change: Partial<Fields>) => onChange({ ...fields, ...change })
  return (
    <>
      <Field label={t('Template name')} error={faults.name} required>
        <Input
          value={fields.name}
          maxLength={500}
          onChange={({ currentTarget }) => put({ name: currentTarget.value })}
        />
      </Field>
      <Field label={t('Task title')} hint={t('If empty, tasks get the name of the template.')}>
        <Input
          value={fields.title}
          maxLength={500}
          onChange={({ currentTarget }) => put({ title: currentTarget.value })}
        />
      </Field>
      <Field label={t('Description')}>
        <TextArea
          value={fields.description}
          maxLength={65_536}
          onChange={({ currentTarget }) => put({ description: currentTarget.value })}
        />
      </Field>
      <div className="grid" style={{ '--least': '12rem' }}>
        {target !== null && (
          <Field label={t('Project')} error={faults.project ?? faults.workspace}>
            <Combobox
              label={t('Project')}
              options={target.options}
              value={[target.value]}
              onChange={([to]) => to !== undefined && target.choose(to)}
            />
          </Field>
        )}
        <DefaultFields fields={fields} put={put} daysFault={faults.days} />
      </div>
    </>
  )
}

interface DefaultFieldsProps {
  readonly fields: Fields
  readonly put: (change: Partial<Fields>) => void
  readonly daysFault: string | undefined
}

function DefaultFields({ fields: { priority, assignee, labels, days }, put, daysFault }: DefaultFieldsProps) {
  return (
    <>
      <Field label={t('Priority')}>
        <Select value={priority} choices={priorityChoices} onChange={(next) => put({ priority: next })} />
      </Field>
      <Field label={t('Assignee')}>
        <AssigneeChoice value={assignee} onChange={(next) => put({ assignee: next })} />
      </Field>
      <Field label={t('Due after (days)')} error={daysFault}>
        <Input inputMode="decimal" value={days} onChange={({ currentTarget }) => put({ days: currentTarget.value })} />
      </Field>
      <Field label={t('Labels')}>
        <Combobox
          label={t('Labels')}
          multiple
          placeholder={t('None')}
          options={labels.map((label) => ({ value: label, label }))}
          value={labels}
          onChange={(next) => put({ labels: next })}
          onCreate={(label) => put({ labels: [...labels, label] })}
        />
      </Field>
    </>
  )
}

type Target = ReturnType<typeof useTarget>

/** The workspace or project of the template. */
function useTarget(template: TaskTemplate | undefined) {
  const workspaces = useWorkspaces().data ?? []
  const projects = (useProjects().data ?? []).filter(({ status }) => status !== 'archived')
  const [chosen, choose] = useState<string | null>(null)
  const project = projects.find(({ id }) => id === chosen)
  const workspace =
    template?.workspace ?? project?.workspace ?? workspaces.find(({ id }) => id === chosen)?.id ?? workspaces[0]?.id
  return {
    workspace,
    project: project?.id ?? null,
    value: project?.id ?? workspace ?? '',
    options: [
      ...workspaces.map(({ id, title }) => ({ value: id, label: t('{title}, all projects', { title }) })),
      ...projects.map(({ id, name }) => ({ value: id, label: name })),
    ],
    choose,
  }
}
