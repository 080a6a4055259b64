/** The editable fields of a task. Each change is written at once. */
import type { Project, Task } from '@atrium/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { PersonMark, PriorityMark, StatusMark } from '../../app/tasks/marks.tsx'
import { useColumns, useProjects } from '../../app/tasks/reads.ts'
import { type Priority, priorityChoices, type Status, startOfDay, statusChoices } from '../../app/tasks/values.ts'
import { editRows } from '../../data/cache.ts'
import { isGuest, keys, useDirectory, useMode } from '../../data/index.ts'
import { Combobox, DateField, Fact, Facts, inWords, Select } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { AssigneeChoice } from './assignee-choice.tsx'
import { DependencyMarks } from './dependency-marks.tsx'
import { ParentChoice } from './parent-choice.tsx'
import { MoveWithSubtasks } from './parent-move.tsx'
import { useTaskChange, useTaskMove } from './writes.ts'

const labels_max = 50

export function TaskFacts({ task }: { readonly task: Task }) {
  const change = useTaskChange()
  const { nameOf } = useDirectory()
  const set = (fields: Parameters<typeof change.run>[0]['fields']) => void change.run({ id: task.id, fields })
  return (
    <div className="task-facts">
      <Facts>
        <Fact name={t('Status')}>
          <div className="row">
            <StatusMark status={task.status} />
            <Select
              aria-label={t('Status')}
              size="s"
              value={task.status as Status}
              choices={withCurrent(statusChoices, task.status)}
              onChange={(status) => set({ status })}
            />
            <DependencyMarks task={task} />
          </div>
        </Fact>
        <Fact name={t('Priority')}>
          <div className="row">
            <PriorityMark priority={task.priority} />
            <Select
              aria-label={t('Priority')}
              size="s"
              value={task.priority as Priority}
              choices={withCurrent(priorityChoices, task.priority)}
              onChange={(priority) => set({ priority })}
            />
          </div>
        </Fact>
        <Fact name={t('Assignee')}>
          <div className="row">
            <PersonMark id={task.assignee} name={task.assignee && nameOf(task.assignee)} />
            <AssigneeChoice
              size="s"
              projects={[task.project]}
              value={task.assignee}
              onChange={(assignee) => set({ assignee })}
            />
          </div>
        </Fact>
        <Fact name={t('Start date')}>
          <DayChoice
            key={task.start_at}
            label={t('Start date')}
            at={task.start_at}
            onChange={(at) => set({ start_at: startOfDay(at) })}
          />
        </Fact>
        <Fact name={t('Due date')}>
          <DayChoice key={task.due_at} label={t('Due date')} at={task.due_at} onChange={(due_at) => set({ due_at })} />
        </Fact>
        <Fact name={t('Labels')}>
          <LabelChoice task={task} onChange={(labels) => set({ labels })} />
        </Fact>
        <Fact name={t('Parent')}>
          <ParentChoice task={task} />
        </Fact>
        <ProjectFacts task={task} />
      </Facts>
    </div>
  )
}

/** Adds the current value if this version of the page does not know it. */
function withCurrent<T extends string>(choices: readonly { value: T; label: string }[], current: string) {
  const isKnown = choices.some(({ value }) => value === current)
  return isKnown ? choices : [...choices, { value: current as T, label: inWords(current) }]
}

interface DayChoiceProps {
  readonly label: string
  readonly at: number | null
  readonly onChange: (at: number | null) => void
}

/** Written when the field loses the focus, because a date passes through other dates while it is typed. */
function DayChoice({ label, at, onChange }: DayChoiceProps) {
  const [value, setValue] = useState(at)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens for the focus leaving the field
    <div onBlur={() => value !== at && onChange(value)}>
      <DateField aria-label={label} value={value} onChange={setValue} />
    </div>
  )
}

/** Offers the labels of all tasks in the cache. */
function LabelChoice({ task, onChange }: { readonly task: Task; readonly onChange: (labels: string[]) => void }) {
  const client = useQueryClient()
  const mode = useMode()
  const known = new Set(task.labels)
  for (const [, data] of client.getQueriesData({ queryKey: keys.lists(mode, 'task') })) {
    editRows(data, (rows) => {
      for (const { labels } of rows) if (Array.isArray(labels)) for (const label of labels) known.add(String(label))
      return rows
    })
  }
  return (
    <Combobox
      label={t('Labels')}
      size="s"
      multiple
      placeholder={t('None')}
      options={[...known].toSorted().map((value) => ({ value, label: value }))}
      value={task.labels}
      onChange={onChange}
      onCreate={(label) => task.labels.length < labels_max && onChange([...task.labels, label])}
    />
  )
}

const none = 'none'

function ProjectFacts({ task }: { readonly task: Task }) {
  const move = useTaskMove()
  const projects = useProjects()
  const { columns } = useColumns(task.project)
  const choices = (projects.data ?? []).filter(
    ({ id, workspace, status }) => workspace === task.workspace && (status !== 'archived' || id === task.project),
  )
  const [asked, setAsked] = useState<{ readonly project: Project | null } | null>(null)
  const moveToProject = (id: string) => {
    const project = choices.find((each) => each.id === id)
    if ((project?.id ?? null) === task.project) return
    if (task.subtask_count > 0) return setAsked({ project: project ?? null })
    void move.run({ id: task.id, project: project?.id ?? null, column: null, to: project?.name ?? 'no project' })
  }
  const moveToColumn = (id: string) => {
    const column = columns?.find((each) => each.id === id)
    void move.run({ id: task.id, project: task.project, column: column?.id ?? null, to: column?.name ?? 'no column' })
  }
  return (
    <>
      <Fact name={t('Project')}>
        <Combobox
          label={t('Project')}
          size="s"
          options={[
            ...(isGuest() ? [] : [{ value: none, label: t('No project') }]),
            ...choices.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={[task.project ?? none]}
          onChange={([project]) => project !== undefined && moveToProject(project)}
        />
        {asked !== null && <MoveWithSubtasks task={task} project={asked.project} onClose={() => setAsked(null)} />}
      </Fact>
      {task.project !== null && (
        <Fact name={t('Column')}>
          <Select
            aria-label={t('Column')}
            size="s"
            value={task.column ?? none}
            choices={[
              { value: none, label: t('No column') },
              ...(columns ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={moveToColumn}
          />
        </Fact>
      )}
    </>
  )
}
