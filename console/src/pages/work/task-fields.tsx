/** The fields of a task as they are chosen: each is written when it is. */
import type { Task } from '@atrium/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { editRows } from '../../data/cache.ts'
import { keys, useDirectory, useMode } from '../../data/index.ts'
import { Combobox, DateField, Fact, Facts, Select } from '../../design/index.ts'
import { PersonMark, PriorityMark, StatusMark } from './marks.tsx'
import { useColumns, useProjects } from './reads.ts'
import { type Priority, priorityChoices, type Status, statusChoices } from './words.ts'
import { useTaskChange, useTaskMove } from './writes.ts'

const nobody = 'nobody'
const labels_max = 50

export function TaskFacts({ task }: { readonly task: Task }) {
  const change = useTaskChange()
  const set = (fields: Parameters<typeof change.run>[0]['fields']) => void change.run({ id: task.id, fields })
  return (
    <div className="task-facts">
      <Facts>
        <Fact name="Status">
          <div className="row">
            <StatusMark status={task.status} />
            <Select
              aria-label="Status"
              size="s"
              value={task.status as Status}
              choices={withOwn(statusChoices, task.status)}
              onChange={(status) => set({ status })}
            />
          </div>
        </Fact>
        <Fact name="Priority">
          <div className="row">
            <PriorityMark priority={task.priority} />
            <Select
              aria-label="Priority"
              size="s"
              value={task.priority as Priority}
              choices={withOwn(priorityChoices, task.priority)}
              onChange={(priority) => set({ priority })}
            />
          </div>
        </Fact>
        <Fact name="Assignee">
          <Assignee task={task} onChange={(assignee) => set({ assignee })} />
        </Fact>
        <Fact name="Due">
          <Due key={task.due_at} at={task.due_at} onChange={(due_at) => set({ due_at })} />
        </Fact>
        <Fact name="Labels">
          <LabelChoice task={task} onChange={(labels) => set({ labels })} />
        </Fact>
        <PlaceChoice task={task} />
      </Facts>
    </div>
  )
}

/** A value that this page does not know stays to be seen. */
function withOwn<T extends string>(choices: readonly { value: T; label: string }[], own: string) {
  return choices.some(({ value }) => value === own) ? choices : [...choices, { value: own as T, label: own }]
}

function Assignee({ task, onChange }: { readonly task: Task; readonly onChange: (user: string | null) => void }) {
  const { active, nameOf } = useDirectory()
  const { assignee } = task
  const people = active.map(({ id, name, email }) => ({ value: id, label: name, ...(email ? { hint: email } : {}) }))
  const isKnown = assignee === null || active.some(({ id }) => id === assignee)
  const former = isKnown ? [] : [{ value: assignee, label: nameOf(assignee) }]
  return (
    <div className="row">
      <PersonMark id={assignee} name={assignee && nameOf(assignee)} />
      <Combobox
        label="Assignee"
        size="s"
        options={[{ value: nobody, label: 'Nobody' }, ...people, ...former]}
        value={[assignee ?? nobody]}
        onChange={([user]) => user !== undefined && onChange(user === nobody ? null : user)}
      />
    </div>
  )
}

/** A date is written when the field is left: while it is typed it passes through many. */
function Due({ at, onChange }: { readonly at: number | null; readonly onChange: (at: number | null) => void }) {
  const [value, setValue] = useState(at)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears of the field in it
    <div onBlur={() => value !== at && onChange(value)}>
      <DateField aria-label="Due" value={value} onChange={setValue} />
    </div>
  )
}

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
      label="Labels"
      size="s"
      multiple
      placeholder="None"
      options={[...known].toSorted().map((value) => ({ value, label: value }))}
      value={task.labels}
      onChange={onChange}
      onCreate={(label) => task.labels.length < labels_max && onChange([...task.labels, label])}
    />
  )
}

const none = 'none'

function PlaceChoice({ task }: { readonly task: Task }) {
  const move = useTaskMove()
  const projects = useProjects()
  const { columns } = useColumns(task.project)
  const own = (projects.data ?? []).filter(
    ({ id, workspace, status }) => workspace === task.workspace && (status !== 'archived' || id === task.project),
  )
  const toProject = (project: string) => {
    const found = own.find(({ id }) => id === project)
    if ((found?.id ?? null) === task.project) return
    void move.run({ id: task.id, project: found?.id ?? null, column: null, to: found?.name ?? 'no project' })
  }
  const toColumn = (column: string) => {
    const found = columns?.find(({ id }) => id === column)
    void move.run({ id: task.id, project: task.project, column: found?.id ?? null, to: found?.name ?? 'no column' })
  }
  return (
    <>
      <Fact name="Project">
        <Combobox
          label="Project"
          size="s"
          options={[{ value: none, label: 'No project' }, ...own.map(({ id, name }) => ({ value: id, label: name }))]}
          value={[task.project ?? none]}
          onChange={([project]) => project !== undefined && toProject(project)}
        />
      </Fact>
      {task.project !== null && (
        <Fact name="Column">
          <Select
            aria-label="Column"
            size="s"
            value={task.column ?? none}
            choices={[
              { value: none, label: 'No column' },
              ...(columns ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={toColumn}
          />
        </Fact>
      )}
    </>
  )
}
