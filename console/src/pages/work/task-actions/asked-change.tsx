/** Asks for the value of an action on tasks, or for its confirmation, and writes it to all of them. */
import type { Task } from '@atrium/sdk'
import { useEffect, useRef, useState } from 'react'
import { PriorityMark, StatusMark } from '../../../app/tasks/marks.tsx'
import { useProjects } from '../../../app/tasks/reads.ts'
import { priorityChoices, startOfDay, statusChoices } from '../../../app/tasks/values.ts'
import { toast } from '../../../app/toasts.ts'
import { seesProjects, useDirectory, useList } from '../../../data/index.ts'
import {
  Button,
  ChoiceList,
  ConfirmDialog,
  DateField,
  Dialog,
  date,
  Field,
  Input,
  useNow,
} from '../../../design/index.ts'
import { inSentence, t } from '../../../language/index.ts'
import { type Bulk, countTasks, labelChange, parentBulk, projectBulk, setBulk, useBulkJob } from '../bulk-job.ts'
import { dayOf, endOfDay } from '../date-words.ts'
import { useTaskDeletion } from '../deletions.ts'
import { searchOf } from '../task-choice.tsx'
import { clearSelected } from '../task-selection.ts'
import { type TaskActionId, taskActions } from './registry.ts'

export type AskedAction = Exclude<TaskActionId, 'open' | 'copy_key' | 'copy_link' | 'select' | 'select_all'>

interface AskedChangeProps {
  readonly action: AskedAction
  readonly tasks: readonly Task[]
  readonly onClose: () => void
}

export function AskedChange({ action, tasks, onClose }: AskedChangeProps) {
  const job = useBulkJob(tasks, clearSelected)
  const [isOpen, setOpen] = useState(true)
  const close = () => {
    setOpen(false)
    if (!isRunning.current) onClose()
  }
  const isRunning = useRef(false)
  const run = (bulk: Bulk) => {
    isRunning.current = true
    job.run(bulk)
    setOpen(false)
  }
  // It stays mounted until the write has ended, so that a refusal is shown.
  const { busy, fault } = job
  const wasBusy = useRef(false)
  useEffect(() => {
    if (busy) wasBusy.current = true
    else if (wasBusy.current) {
      if (fault !== null) toast({ text: fault })
      onClose()
    }
  }, [busy, fault, onClose])
  const deletion = useTaskDeletion()
  const isImmediate = action === 'complete' || (action === 'delete' && tasks.length === 1)
  const started = useRef(false)
  useEffect(() => {
    if (!isImmediate || started.current) return
    started.current = true
    const [first] = tasks
    if (action === 'complete') {
      const isDone = tasks.every(({ status }) => status === 'done')
      run(isDone ? setBulk({ status: 'todo' }, t('reopened')) : setBulk({ status: 'done' }, t('completed')))
    } else if (first !== undefined) {
      deletion(first)
      onClose()
    }
  })
  if (isImmediate || !isOpen) return null
  if (action === 'delete') return <Deletion tasks={tasks} onClose={close} run={run} />
  return <Asked action={action} tasks={tasks} onClose={close} run={run} />
}

interface ChoiceProps {
  readonly tasks: readonly Task[]
  readonly run: (bulk: Bulk) => void
}

function Deletion({ tasks, run, onClose }: ChoiceProps & { readonly onClose: () => void }) {
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('Delete {countTasks}?', { countTasks: countTasks(tasks.length) })}
      action={t('Delete')}
      {...(tasks.length >= 50 && { typed: String(tasks.length) })}
      onConfirm={() => run({ change: { delete: true }, text: t('deleted') })}
    >
      {t('Their comments and dependencies are deleted, too. Time entries are kept. This cannot be undone.')}
    </ConfirmDialog>
  )
}

type AskedValue = Exclude<AskedAction, 'complete' | 'delete'>

const forms: Readonly<Record<AskedValue, (props: ChoiceProps) => React.ReactNode>> = {
  title: TitleForm,
  status: StatusList,
  assignee: AssigneeList,
  priority: PriorityList,
  labels: LabelList,
  due: (props) => <DateForm {...props} name="due_at" />,
  start: (props) => <DateForm {...props} name="start_at" />,
  project: ProjectList,
  parent: ParentList,
}

function Asked({ action, tasks, run, onClose }: ChoiceProps & { action: AskedValue; onClose: () => void }) {
  const Form = forms[action]
  const [first] = tasks
  const title = taskActions.find(({ id }) => id === action)?.title ?? ''
  const about = tasks.length === 1 && first !== undefined ? `${first.key} ${first.title}` : countTasks(tasks.length)
  return (
    <Dialog open onClose={onClose} title={title} description={about} size="s">
      <Form tasks={tasks} run={run} />
    </Dialog>
  )
}

/** The value that all tasks have. */
function shared<K extends keyof Task>(tasks: readonly Task[], name: K): Task[K] | undefined {
  const [first] = tasks
  return first !== undefined && tasks.every((task) => task[name] === first[name]) ? first[name] : undefined
}

const listOf = (value: string | null | undefined, none = 'none') => (value === undefined ? [] : [value ?? none])

function StatusList({ tasks, run }: ChoiceProps) {
  const options = statusChoices.map((each) => ({ ...each, show: <StatusMark status={each.value} named /> }))
  return (
    <ChoiceList
      label={t('Status')}
      options={options}
      value={listOf(shared(tasks, 'status'))}
      onChange={([status]) => {
        const chosen = statusChoices.find(({ value }) => value === status)
        if (chosen) run(setBulk({ status: chosen.value }, t('changed to {label}', { label: chosen.label })))
      }}
    />
  )
}

function PriorityList({ tasks, run }: ChoiceProps) {
  const options = priorityChoices.map((each) => ({ ...each, show: <PriorityMark priority={each.value} named /> }))
  return (
    <ChoiceList
      label={t('Priority')}
      options={options}
      value={listOf(shared(tasks, 'priority'))}
      onChange={([priority]) => {
        const chosen = priorityChoices.find(({ value }) => value === priority)
        if (chosen)
          run(setBulk({ priority: chosen.value }, t('changed to {label}', { label: inSentence(chosen.label) })))
      }}
    />
  )
}

function AssigneeList({ tasks, run }: ChoiceProps) {
  const { active, nameOf } = useDirectory()
  const projects = tasks.map(({ project }) => project)
  const people = active
    .filter((person) => seesProjects(person, projects))
    .map(({ id, name, email }) => ({ value: id, label: name, ...(email && { hint: email }) }))
  return (
    <ChoiceList
      label={t('Assignee')}
      options={[{ value: 'none', label: t('Unassigned') }, ...people]}
      value={listOf(shared(tasks, 'assignee'))}
      onChange={([user]) =>
        run(
          user === undefined || user === 'none'
            ? setBulk({ assignee: null }, t('unassigned'))
            : setBulk({ assignee: user }, t('assigned to {name}', { name: nameOf(user) })),
        )
      }
    />
  )
}

function LabelList({ tasks, run }: ChoiceProps) {
  const known = [...new Set(tasks.flatMap(({ labels }) => labels))].toSorted()
  const common = known.filter((label) => tasks.every(({ labels }) => labels.includes(label)))
  const change = (after: readonly string[]) => {
    const bulk = labelChange(common, after)
    if (bulk !== null) run(bulk)
  }
  return (
    <ChoiceList
      label={t('Labels')}
      multiple
      options={known.map((value) => ({ value, label: value }))}
      value={common}
      onChange={change}
      onCreate={(label) => change([...common, label])}
    />
  )
}

function ProjectList({ tasks, run }: ChoiceProps) {
  const workspace = shared(tasks, 'workspace')
  const projects = (useProjects().data ?? []).filter(
    (each) => each.workspace === workspace && each.status !== 'archived',
  )
  if (workspace === undefined) return <p>{t('The tasks are in several workspaces. Choose tasks of one workspace.')}</p>
  return (
    <ChoiceList
      label={t('Project')}
      options={[
        { value: 'none', label: t('No project') },
        ...projects.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={listOf(shared(tasks, 'project'))}
      onChange={([chosen]) => {
        const to = projects.find(({ id }) => id === chosen)
        run(projectBulk(to, tasks.length))
      }}
    />
  )
}

function ParentList({ tasks, run }: ChoiceProps) {
  const workspace = shared(tasks, 'workspace')
  const [text, setText] = useState('')
  const words = text.trim()
  const list = useList<Task>(
    'task',
    { choose: words, workspace },
    (atrium) => atrium.tasks.list({ limit: 20, sort: '-updated', ...searchOf(words, workspace ?? '') }),
    { enabled: workspace !== undefined },
  )
  const own = new Set(tasks.map(({ id }) => id))
  const rows = (list.rows ?? []).filter(({ id }) => !own.has(id))
  if (workspace === undefined) return <p>{t('The tasks are in several workspaces. Choose tasks of one workspace.')}</p>
  return (
    <ChoiceList
      label={t('Parent')}
      options={[
        ...(words === '' ? [{ value: 'none', label: t('No parent') }] : []),
        ...rows.map(({ id, key, title }) => ({ value: id, label: `${key} ${title}` })),
      ]}
      value={listOf(shared(tasks, 'parent'))}
      onSearch={setText}
      onChange={([chosen]) => {
        const parent = rows.find(({ id }) => id === chosen)
        run(parentBulk(parent ?? null, tasks.length))
      }}
    />
  )
}

function TitleForm({ tasks, run }: ChoiceProps) {
  const [title, setTitle] = useState(tasks[0]?.title ?? '')
  const text = title.trim()
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (text !== '') run(setBulk({ title: text }, t('renamed')))
      }}
    >
      <Field label={t('Title')}>
        <Input value={title} maxLength={500} onChange={({ currentTarget }) => setTitle(currentTarget.value)} />
      </Field>
      <Button kind="primary" type="submit" disabled={text === ''}>
        {t('Save')}
      </Button>
    </form>
  )
}

function DateForm({ tasks, run, name }: ChoiceProps & { readonly name: 'due_at' | 'start_at' }) {
  const now = useNow()
  const [text, setText] = useState('')
  const [at, setAt] = useState<number | null>(shared(tasks, name) ?? null)
  const day = dayOf(text, Date.now())
  const chosen = text.trim() === '' ? at : day === null ? null : endOfDay(day)
  const label = name === 'due_at' ? t('Due date') : t('Start date')
  const set = (value: number | null) => {
    const seconds = name === 'due_at' ? value : startOfDay(value)
    if (seconds === null) run(setBulk({ [name]: null }, t('without {label}', { label: inSentence(label) })))
    else
      run(
        setBulk(
          { [name]: seconds },
          name === 'due_at'
            ? t('due {seconds}', { seconds: date(seconds, now) })
            : t('starting {seconds}', { seconds: date(seconds, now) }),
        ),
      )
  }
  const isUnknown = text.trim() !== '' && day === null
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (chosen !== null) set(chosen)
      }}
    >
      <Field
        label={t('{label} in words', { label })}
        hint={day === null ? t('Such as tomorrow, fri, in 2 weeks, 5 dec') : date(endOfDay(day), now)}
        {...(isUnknown && {
          error: t('“{text}” is not a date. Try tomorrow, fri, or in 2 weeks.', { text: text.trim() }),
        })}
      >
        <Input value={text} onChange={({ currentTarget }) => setText(currentTarget.value)} />
      </Field>
      <Field label={label}>
        <DateField value={chosen} onChange={setAt} />
      </Field>
      <div className="row">
        <Button kind="primary" type="submit" disabled={chosen === null}>
          {t('Set')}
        </Button>
        <Button onClick={() => set(null)}>{t('Clear')}</Button>
      </div>
    </form>
  )
}
