/** The panel of tasks beside the canvas: search for tasks to place, and turn selected notes into tasks. */
import type { Column, Task, Workspace } from '@atrium/sdk'
import { useState } from 'react'
import { searchFilter } from '../../../app/task-search.ts'
import { useAll, useList, useWrite } from '../../../data/index.ts'
import {
  Button,
  Combobox,
  type ComboboxOption,
  Field,
  SearchInput,
  StatusBadge,
  Switch,
} from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { useProject, useProjects } from '../reads.ts'

export interface Note {
  /** The element that becomes the card of the task. */
  readonly element: string
  readonly text: string
}

interface TasksPanelProps {
  /** The project of the board: its tasks are found first, and notes become its tasks. */
  readonly project: string | null
  readonly notes: readonly Note[]
  readonly canDraw: boolean
  readonly onPlace: (task: Task) => void
  /** The tasks of notes, in the same order. */
  readonly onMade: (notes: readonly Note[], tasks: readonly Task[]) => void
  readonly onUnmade: (notes: readonly Note[]) => void
}

const results_max = 20
const title_chars_max = 500
/** The API's limit of a batch. */
const notes_max = 100

export function TasksPanel(props: TasksPanelProps) {
  // What was chosen stays while another selection is made.
  const choice = useChoice(props.project)
  return (
    <>
      {props.canDraw && props.notes.length > 0 && <MakeTasks {...props} choice={choice} />}
      <FindTask {...props} />
    </>
  )
}

function FindTask({ project, canDraw, onPlace }: TasksPanelProps) {
  const [text, setText] = useState('')
  const [isLimited, setLimited] = useState(true)
  const { data: shown } = useProject(project)
  const criteria = {
    ...searchFilter(text),
    ...(project !== null && isLimited ? { project: [project] } : {}),
  }
  const list = useList<Task>('task', { ...criteria, of: 'board' }, (atrium) =>
    atrium.tasks.list({ limit: results_max, sort: '-updated', ...criteria }),
  )
  return (
    <div className="live-tasks">
      <SearchInput label={t('Find a task')} placeholder={t('Find a task')} value={text} onChange={setText} />
      {project !== null && (
        <Switch
          label={t('Only tasks of {name}', { name: shown?.name ?? t('the project') })}
          checked={isLimited}
          onChange={setLimited}
        />
      )}
      <ul className="live-found" aria-label={t('Tasks')}>
        {(list.rows ?? []).map((task) => (
          <li key={task.id}>
            <button
              type="button"
              className="live-found-task"
              disabled={!canDraw}
              draggable={canDraw}
              title={t('Place on the board')}
              onClick={() => onPlace(task)}
              onDragStart={({ dataTransfer }) =>
                dataTransfer.setData('application/x-atrium-task', JSON.stringify(task))
              }
            >
              <span className="board-task-line">
                <span className="board-task-key">{task.key}</span>
                <StatusBadge status={task.status} />
              </span>
              <span>{task.title}</span>
            </button>
          </li>
        ))}
      </ul>
      {list.rows?.length === 0 && <p className="subtle">{t('No tasks match.')}</p>}
    </div>
  )
}

/** Where the tasks of notes go, and what they have in common. */
interface Target {
  readonly workspace: string
  readonly project?: string
  readonly column?: string
  readonly labels?: string[]
}

/** Creates one task for each selected note, all or none, and offers to undo it. */
function MakeTasks({ choice, notes, onMade, onUnmade }: TasksPanelProps & { readonly choice: Choice }) {
  const { target } = choice
  const make = useWrite({
    write: async (atrium, { made, workspace, ...common }: Target & { readonly made: readonly Note[] }) =>
      await atrium.tasks.batch({ workspace, data: made.map(({ text }) => ({ title: titleOf(text), ...common })) }),
    invalidates: ['task'],
    done: ({ data }) => t('{count, plural, one {Task created} other {# tasks created}}', { count: data.length }),
    undo:
      ({ data }, { workspace }) =>
      (atrium) =>
        atrium.tasks.bulk({ workspace, tasks: data.map(({ id }) => id), delete: true }),
    undone: ({ made }) => onUnmade(made),
  })
  const submit = async () => {
    if (target === null) return
    const made = notes.slice(0, notes_max)
    const answer = await make.run({ ...target, made })
    if (answer !== undefined) onMade(made, answer.data)
  }
  const label = t('{count, plural, one {Create task from note} other {Create {min} tasks from notes}}', {
    min: Math.min(notes.length, notes_max),
    count: notes.length,
  })
  return (
    <div className="live-make">
      <TargetFields {...choice} />
      <Button kind="primary" busy={make.busy} disabled={target === null} onClick={() => void submit()}>
        {label}
      </Button>
    </div>
  )
}

function titleOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, title_chars_max)
}

interface Choice {
  /** Null before everything is read. */
  readonly target: Target | null
  readonly places: readonly ComboboxOption[]
  readonly place: string | null
  readonly setPlace: (place: string | null) => void
  readonly columns: readonly Column[]
  readonly column: Column | undefined
  readonly setColumn: (column: string | null) => void
  readonly labels: readonly string[]
  readonly setLabels: (labels: readonly string[]) => void
}

/** By default the board's project, and its first column, where its tasks start. */
function useChoice(own: string | null): Choice {
  const workspaces = useAll<Workspace>('workspace', {}, (atrium) => atrium.workspaces.list({ limit: 100 }))
  const projects = useProjects()
  const [chosen, setPlace] = useState<string | null>(null)
  const [columnChosen, setColumn] = useState<string | null>(null)
  const [labels, setLabels] = useState<readonly string[]>([])
  const active = (projects.data ?? []).filter(({ status }) => status === 'active')
  const places = [
    ...active.map(({ id, name }) => ({ value: id, label: name })),
    ...(workspaces.data ?? []).map(({ id, title }) => ({ value: id, label: t('{title}, no project', { title }) })),
  ]
  const place = chosen ?? places.find(({ value }) => value === own)?.value ?? places[0]?.value ?? null
  const project = active.find(({ id }) => id === place)
  const read = useColumns(project?.id ?? null)
  const columns = read ?? []
  const column = columns.find(({ id }) => id === columnChosen) ?? columns[0]
  const workspace = project?.workspace ?? place
  const isRead = projects.data !== undefined && (project === undefined || read !== undefined)
  const target =
    workspace === null || !isRead
      ? null
      : {
          workspace,
          ...(project && { project: project.id }),
          ...(column && { column: column.id }),
          ...(labels.length > 0 && { labels: [...labels] }),
        }
  return { target, places, place, setPlace, columns, column, setColumn, labels, setLabels }
}

function TargetFields({ places, place, setPlace, columns, column, setColumn, labels, setLabels }: Choice) {
  return (
    <>
      <Field label={t('Create in')}>
        <Combobox
          label={t('Create in')}
          placeholder={t('Choose a project')}
          options={places}
          value={place === null ? [] : [place]}
          onChange={([id]) => setPlace(id ?? null)}
        />
      </Field>
      {column !== undefined && (
        <Field label={t('Column')}>
          <Combobox
            label={t('Column')}
            options={columns.map(({ id, name }) => ({ value: id, label: name }))}
            value={[column.id]}
            onChange={([id]) => setColumn(id ?? null)}
          />
        </Field>
      )}
      <Field label={t('Labels')}>
        <Combobox
          label={t('Labels')}
          multiple
          placeholder={t('No labels')}
          options={labels.map((label) => ({ value: label, label }))}
          value={labels}
          onChange={setLabels}
          onCreate={(label) => setLabels([...labels, label])}
        />
      </Field>
    </>
  )
}

/** The columns of a project in the order of its board. */
function useColumns(project: string | null): readonly Column[] | undefined {
  const { data } = useAll<Column>(
    'column',
    { project },
    (atrium) => atrium.columns.list({ project: project ?? '', limit: 100 }),
    { enabled: project !== null },
  )
  return data?.toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1))
}
