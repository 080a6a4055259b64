/**
 * Creates a task from any page, by keyboard alone: title, Enter. The title takes a person, labels, a priority and a date; several
 * pasted lines make one task each. The draft is kept over a reload.
 */
import type { Task, TasksCreateParams, TaskTemplate } from '@atrium/sdk'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { FormDialog } from '../../app/form-dialog.tsx'
import { useColumns, useProjects, useWorkspaces } from '../../app/tasks/reads.ts'
import { priorityChoices } from '../../app/tasks/values.ts'
import { fieldErrors, isGuest, useAll, useDirectory, useHasRole, useWrite } from '../../data/index.ts'
import { Button, Checkbox, Combobox, DateField, Field, Input, Notice, Select, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { AssigneeChoice } from './assignee-choice.tsx'
import { closeNewTask, type NewTask } from './new-task.ts'
import { empty_draft, isEmpty, storeDraft, storedDraft, type TaskDraft } from './task-draft.ts'
import { understood } from './title-hint.ts'
import { type Named, readTitle } from './title-words.ts'

const storage_key = 'atrium.last-project'

type NewFields = Omit<TasksCreateParams, 'title' | 'workspace' | 'project'>

export function QuickCreate({ proposal }: { readonly proposal: NewTask }) {
  const target = useTarget(proposal)
  const { draft, setDraft, clear, isKept } = useTaskDraft(proposal)
  const [lines, setLines] = useState<readonly string[] | null>(null)
  const [createsAnother, setCreatesAnother] = useState(false)
  const { active } = useDirectory()
  const write = useTaskCreation()
  const { workspace, project, columns } = target
  const read = readTitle(draft.title, active, Date.now())
  const next = () => {
    rememberProject(project)
    clear()
    if (!createsAnother) closeNewTask()
  }
  const create = async () => {
    if (workspace === undefined) return
    const column = columns?.find(({ id }) => id === draft.column)?.id ?? columns?.[0]?.id ?? null
    const common: NewFields = {
      priority: read.priority ?? draft.priority,
      assignee: read.assignee ?? draft.assignee,
      due_at: read.due_at ?? draft.due_at,
      labels: [...new Set([...draft.labels, ...read.labels])],
      column,
      ...(draft.description.trim() !== '' && { description: draft.description }),
    }
    const all = (lines ?? [draft.title]).map((line) => taskOf(line, common, active))
    const made = await write.run(
      all.map((fields) => ({ ...fields, workspace, project })),
      next,
    )
    if (made !== undefined) next()
  }
  return (
    <FormDialog
      title={t('New task')}
      size="l"
      action={lines === null ? t('Create') : t('Create {count} tasks', { count: lines.length })}
      isReady={(lines !== null || read.title !== '') && workspace !== undefined}
      write={{ ...write, isKept: false }}
      fields={['title', 'description', 'project', 'assignee', 'priority', 'due_at']}
      aside={
        <div className="grow row">
          <Checkbox label={t('Create another')} checked={createsAnother} onChange={setCreatesAnother} />
          {isKept && (
            <Button kind="quiet" size="s" onClick={clear}>
              {t('Clear draft')}
            </Button>
          )}
        </div>
      }
      onSubmit={create}
      onClose={closeNewTask}
    >
      <TaskFields
        {...{ draft, setDraft, target, lines, setLines }}
        faults={fieldErrors(write.error)}
        understood={lines === null ? understood(read, active) : []}
      />
    </FormDialog>
  )
}

/** Creates one task, or several in one batch. */
function useTaskCreation() {
  const [, navigate] = useLocation()
  return useWrite<readonly TasksCreateParams[], readonly Task[]>({
    write: async (atrium, all) => {
      const [first] = all
      if (first === undefined) return []
      if (all.length === 1) return [await atrium.tasks.create(first)]
      const data = all.map(({ workspace: _, ...fields }) => fields)
      return (await atrium.tasks.batch({ workspace: first.workspace, data })).data
    },
    invalidates: ['task'],
    done: ([first, ...others]) =>
      others.length > 0
        ? t('{count} tasks created', { count: others.length + 1 })
        : first === undefined
          ? null
          : t('{key} created', { key: first.key }),
    undo: (made) => (atrium) => Promise.all(made.map(({ id }) => atrium.tasks.delete(id))),
    action: ([first, ...others]) =>
      first === undefined || others.length > 0
        ? null
        : { label: t('Open'), run: () => navigate(`/work/tasks/${first.key}`) },
    toastErrors: false,
  })
}

/** The draft of before a reload is taken up, unless another day was proposed. */
function useTaskDraft(proposal: NewTask) {
  const [draft, set] = useState(() => ({
    ...(storedDraft() ?? empty_draft),
    ...(proposal.due_at !== undefined && { due_at: proposal.due_at }),
  }))
  const setDraft = (next: TaskDraft) => {
    set(next)
    storeDraft(next)
  }
  // Another task keeps the values, but not the texts.
  const clear = () => setDraft({ ...draft, title: '', description: '', labels: [], template: null })
  return { draft, setDraft, clear, isKept: !isEmpty(draft) }
}

/** One line of several may name its own person, labels and date. */
function taskOf(line: string, common: NewFields, people: readonly Named[]): NewFields & { title: string } {
  const { title, assignee, labels, priority, due_at } = readTitle(line, people, Date.now())
  return {
    ...common,
    title,
    ...(assignee !== null && { assignee }),
    ...(priority !== null && { priority }),
    ...(due_at !== null && { due_at }),
    labels: [...new Set([...(common.labels ?? []), ...labels])],
  }
}

interface TaskFieldsProps {
  readonly draft: TaskDraft
  readonly setDraft: (draft: TaskDraft) => void
  readonly target: ReturnType<typeof useTarget>
  readonly faults: Readonly<Record<string, string>>
  readonly understood: readonly string[]
  /** Several tasks, one a line; null for one task. */
  readonly lines: readonly string[] | null
  readonly setLines: (lines: readonly string[] | null) => void
}

function TaskFields({ draft, setDraft, target, faults, understood: words, lines, setLines }: TaskFieldsProps) {
  const put = (change: Partial<TaskDraft>) => setDraft({ ...draft, ...change })
  return (
    <>
      {target.hasNoWorkspace && (
        <Notice tone="warn" title={t('No workspace yet')}>
          {t('Tasks belong to a workspace. Create one under Work first.')}
        </Notice>
      )}
      {lines === null ? (
        <TitleField {...{ draft, put, setLines, words }} fault={faults.title} />
      ) : (
        <LinesField lines={lines} setLines={setLines} />
      )}
      <Field label={t('Description')} error={faults.description}>
        <TextArea
          rows={3}
          maxLength={65_536}
          value={draft.description}
          onChange={({ currentTarget }) => put({ description: currentTarget.value })}
        />
      </Field>
      <div className="grid" style={{ '--least': '12rem' }}>
        <Field label={t('Project')} error={faults.project}>
          <Combobox
            label={t('Project')}
            options={target.options}
            value={[target.value]}
            onChange={([to]) => to !== undefined && target.choose(to)}
          />
        </Field>
        <Field label={t('Assignee')} error={faults.assignee}>
          <AssigneeChoice
            projects={[target.project]}
            value={draft.assignee}
            onChange={(assignee) => put({ assignee })}
          />
        </Field>
        <Field label={t('Priority')} error={faults.priority}>
          <Select value={draft.priority} choices={priorityChoices} onChange={(priority) => put({ priority })} />
        </Field>
        <Field label={t('Due date')} error={faults.due_at}>
          <DateField value={draft.due_at} onChange={(due_at) => put({ due_at })} />
        </Field>
        <MoreFields draft={draft} put={put} target={target} />
      </div>
    </>
  )
}

interface DraftProps {
  readonly draft: TaskDraft
  readonly put: (change: Partial<TaskDraft>) => void
}

function TitleField({
  draft,
  put,
  setLines,
  words,
  fault,
}: DraftProps & Pick<TaskFieldsProps, 'setLines'> & { words: readonly string[]; fault: string | undefined }) {
  return (
    <Field
      label={t('Title')}
      error={fault}
      required
      hint={
        words.length > 0
          ? words.join(' · ')
          : t('Takes @name, #label, !high, and a date at the end: tomorrow, fri, in 2 weeks')
      }
    >
      <Input
        value={draft.title}
        maxLength={500}
        onChange={({ currentTarget }) => put({ title: currentTarget.value })}
        onPaste={(event) => {
          const pasted = linesOf(event.clipboardData.getData('text'))
          if (pasted.length < 2) return
          event.preventDefault()
          setLines(pasted)
        }}
      />
    </Field>
  )
}

/** The most tasks of one batch. */
const lines_max = 100

/** The lines of a pasted list, without its bullets and boxes. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/^\s*(?:[-*+•]|\d+[.)])?\s*(?:\[[ xX]\]\s*)?/, '').trim())
  return lines.filter(Boolean).slice(0, lines_max)
}

function LinesField({ lines, setLines }: Pick<TaskFieldsProps, 'setLines'> & { readonly lines: readonly string[] }) {
  const [text, setText] = useState(lines.join('\n'))
  return (
    <Field
      label={t('Titles')}
      hint={t('{count} tasks, one per line. Clear the field to write one task.', { count: lines.length })}
    >
      <TextArea
        rows={Math.min(10, lines.length + 1)}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          const left = linesOf(currentTarget.value)
          setLines(left.length === 0 ? null : left)
        }}
      />
    </Field>
  )
}

/** Labels, column and template. A template fills the fields, which can be changed before the task is created. */
function MoreFields({ draft, put, target }: DraftProps & { readonly target: ReturnType<typeof useTarget> }) {
  const isMember = useHasRole('member')
  const templates = useAll<TaskTemplate>('task_template', {}, (atrium) => atrium.taskTemplates.list({ limit: 100 }), {
    enabled: isMember,
  })
  const usable = (templates.data ?? []).filter(({ workspace }) => workspace === target.workspace)
  const { columns = [], workspace, project } = target
  // Both fields are shown while their choices load, so that nothing moves when they arrive.
  const mayHaveColumns =
    columns.length > 0 || (target.columns === undefined && (workspace === undefined || project !== null))
  const mayHaveTemplates = isMember && (usable.length > 0 || templates.data === undefined || workspace === undefined)
  const fill = (id: string | undefined) => {
    const template = usable.find((each) => each.id === id)
    if (template === undefined) return
    const { title, description, priority, assignee, labels } = template.defaults as Partial<TaskDraft>
    put({
      template: template.id,
      ...(title && { title }),
      ...(description && { description }),
      ...(priority && { priority }),
      ...(assignee && { assignee }),
      ...(labels && { labels }),
    })
  }
  return (
    <>
      <Field label={t('Labels')}>
        <Combobox
          label={t('Labels')}
          multiple
          placeholder={t('No labels')}
          options={draft.labels.map((label) => ({ value: label, label }))}
          value={[...draft.labels]}
          onChange={(labels) => put({ labels })}
          onCreate={(label) => put({ labels: [...draft.labels, label] })}
        />
      </Field>
      {mayHaveColumns && (
        <Field label={t('Column')}>
          <Combobox
            label={t('Column')}
            options={columns.map(({ id, name }) => ({ value: id, label: name }))}
            value={[columns.find(({ id }) => id === draft.column)?.id ?? columns[0]?.id ?? '']}
            onChange={([column]) => put({ column: column ?? null })}
          />
        </Field>
      )}
      {mayHaveTemplates && (
        <Field label={t('Template')}>
          <Combobox
            label={t('Template')}
            placeholder={t('No template')}
            options={usable.map(({ id, name }) => ({ value: id, label: name }))}
            value={draft.template === null ? [] : [draft.template]}
            onChange={([id]) => fill(id)}
          />
        </Field>
      )}
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
    // A guest's tasks are in the guest's projects.
    ...(isGuest() ? [] : (workspaces ?? [])).map(({ id, title }) => ({
      value: id,
      label: t('{title}, no project', { title }),
      group: t('No project'),
    })),
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
