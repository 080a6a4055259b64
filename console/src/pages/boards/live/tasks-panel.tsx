/** The panel of tasks beside the canvas: search for tasks to place, and turn selected notes into tasks. */
import type { Project, Task, Workspace } from '@atrium/sdk'
import { useState } from 'react'
import { useAll, useList, useWrite } from '../../../data/index.ts'
import { Button, Combobox, Field, SearchInput, StatusBadge } from '../../../design/index.ts'

export interface Note {
  /** The element that becomes the card of the task. */
  readonly element: string
  readonly text: string
}

interface TasksPanelProps {
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
  return (
    <>
      {props.canDraw && props.notes.length > 0 && <MakeTasks {...props} />}
      <FindTask {...props} />
    </>
  )
}

function FindTask({ canDraw, onPlace }: TasksPanelProps) {
  const [text, setText] = useState('')
  const words = text.trim()
  const filter = words === '' ? {} : { filter: JSON.stringify(words) }
  const list = useList<Task>('task', { words, of: 'board' }, (atrium) =>
    atrium.tasks.list({ limit: results_max, sort: '-updated', ...filter }),
  )
  return (
    <div className="live-tasks">
      <SearchInput label="Find a task" placeholder="Find a task" value={text} onChange={setText} />
      <ul className="live-found" aria-label="Tasks">
        {(list.rows ?? []).map((task) => (
          <li key={task.id}>
            <button
              type="button"
              className="live-found-task"
              disabled={!canDraw}
              draggable={canDraw}
              title="Place on the board"
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
      {list.rows?.length === 0 && <p className="subtle">No tasks match.</p>}
    </div>
  )
}

/** Creates one task for each selected note, all or none, and offers to undo it. */
function MakeTasks({ notes, onMade, onUnmade }: TasksPanelProps) {
  const workspaces = useAll<Workspace>('workspace', {}, (atrium) => atrium.workspaces.list({ limit: 100 }))
  const projects = useAll<Project>('project', { of: 'board' }, (atrium) => atrium.projects.list({ limit: 100 }))
  const [chosen, setChosen] = useState<string | null>(null)
  const places = [
    ...(projects.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
    ...(workspaces.data ?? []).map(({ id, title }) => ({ value: id, label: `${title}, no project` })),
  ]
  const place = chosen ?? places[0]?.value ?? null
  const project = projects.data?.find(({ id }) => id === place)
  const workspace = project?.workspace ?? place
  const make = useWrite({
    write: async (atrium, made: readonly Note[]) =>
      await atrium.tasks.batch({
        workspace: workspace ?? '',
        data: made.map(({ text }) => ({
          title: text.replace(/\s+/g, ' ').trim().slice(0, title_chars_max),
          ...(project === undefined ? {} : { project: project.id }),
        })),
      }),
    invalidates: ['task'],
    done: ({ data }) => (data.length === 1 ? 'Task created' : `${data.length} tasks created`),
    undo:
      ({ data }, made) =>
      async (atrium) => {
        await atrium.tasks.bulk({ workspace: workspace ?? '', tasks: data.map(({ id }) => id), delete: true })
        onUnmade(made)
      },
  })
  const submit = async () => {
    const made = notes.slice(0, notes_max)
    const answer = await make.run(made)
    if (answer !== undefined) onMade(made, answer.data)
  }
  const label =
    notes.length === 1 ? 'Create task from note' : `Create ${Math.min(notes.length, notes_max)} tasks from notes`
  return (
    <div className="live-make">
      <Field label="Create in">
        <Combobox
          label="Create in"
          placeholder="Choose a project"
          options={places}
          value={place === null ? [] : [place]}
          onChange={([id]) => setChosen(id ?? null)}
        />
      </Field>
      <Button kind="primary" busy={make.busy} disabled={workspace === null} onClick={() => void submit()}>
        {label}
      </Button>
    </div>
  )
}
