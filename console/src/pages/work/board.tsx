/**
 * The board of a project. Cards are moved by the pointer, by Space and the arrows, or by the menu of a card. Where a held
 * card would go is shown before it is written; Escape leaves it where it was.
 */
import './board.css'
import type { Column, Project, Task } from '@atrium/sdk'
import { Columns3, Plus } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { useAll, useWrite } from '../../data/index.ts'
import { Button, Empty, Notice, Skeleton } from '../../design/index.ts'
import { BoardColumn } from './board-column.tsx'
import { neighbour } from './board-focus.ts'
import { ColumnDialog } from './column-dialog.tsx'
import { useHidden } from './deletions.ts'
import { board_tasks_max, byPosition, useColumns } from './reads.ts'
import { useTaskMove } from './writes.ts'

/** Of tasks that are in none. */
const nowhere = 'none'
const first_columns = ['To do', 'In progress', 'Done']

interface BoardProps {
  readonly id: string
  readonly project: Project | undefined
  readonly onOpen: (key: string) => void
}

interface Held {
  readonly task: Task
  readonly column: string
}

export function Board({ id, project, onOpen }: BoardProps) {
  const { columns, error, refetch } = useColumns(id)
  const list = useAll<Task>(
    'task',
    { project: id, board: true },
    (atrium) =>
      atrium.tasks.list({ project: id, is_archived: project?.status === 'archived', sort: 'position', limit: 100 }),
    { max: board_tasks_max, enabled: project !== undefined },
  )
  const hidden = useHidden()
  const tasks = useMemo(
    () => list.data?.filter((task) => task.project === id && !hidden.has(task.id)),
    [list.data, hidden, id],
  )
  const failed = error ?? list.error
  if (failed) {
    return (
      <ErrorState
        error={failed}
        onRetry={() => {
          void refetch()
          void list.refetch()
        }}
      />
    )
  }
  if (columns === undefined || tasks === undefined || project === undefined) return <BoardComing />
  if (columns.length === 0 && tasks.length === 0) return <FirstColumns project={project} />
  return (
    <>
      {tasks.length >= board_tasks_max && (
        <Notice>The first {board_tasks_max} tasks are shown. The list has all of them.</Notice>
      )}
      <Columns project={project} columns={columns} tasks={tasks} onOpen={onOpen} />
    </>
  )
}

interface ColumnsProps {
  readonly project: Project
  readonly columns: readonly Column[]
  readonly tasks: readonly Task[]
  readonly onOpen: (key: string) => void
}

function Columns({ project, columns, tasks, onOpen }: ColumnsProps) {
  const [held, setHeld] = useState<Held | null>(null)
  const [said, setSaid] = useState('')
  const [isAdding, setAdding] = useState(false)
  const frame = useRef<HTMLElement>(null)
  const focused = useRef<string | null>(null)
  const move = useTaskMove()
  const places = placesOf(columns, tasks)
  const names = new Map(places.map(({ place, name }) => [place, name]))

  const moveTo = (task: Task, place: string) => {
    if (placeOf(task) === place) return
    const column = place === nowhere ? null : place
    focused.current = task.id
    void move.run({ id: task.id, project: project.id, column, to: names.get(place) ?? 'no column' })
  }
  // A card that has moved is another element: the focus goes with it.
  useEffect(() => {
    const task = held?.task.id ?? focused.current
    if (task === null) return
    const card = frame.current?.querySelector<HTMLElement>(`[data-card="${task}"] a`)
    if (card && (document.activeElement === document.body || held !== null)) card.focus()
    if (held === null && !move.busy) focused.current = null
  })

  const onHeldKey = (key: string, { task, column }: Held): boolean => {
    const at = places.findIndex(({ place }) => place === column)
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
    if (step !== undefined) {
      const next = places[at + step]
      if (next === undefined) return true
      setHeld({ task, column: next.place })
      setSaid(`${task.key} over ${next.name}.`)
    } else if (key === ' ' || key === 'Enter') {
      setHeld(null)
      focused.current = task.id
      setSaid(`${task.key} put down in ${names.get(column)}.`)
      moveTo(task, column)
    } else if (key === 'Escape') {
      setHeld(null)
      focused.current = task.id
      setSaid(`${task.key} stays in ${names.get(placeOf(task))}.`)
    } else if (key === 'Tab') {
      setHeld(null)
      return false
    }
    return true
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const card = (event.target as HTMLElement).closest<HTMLElement>('a')?.closest<HTMLElement>('[data-card]')
    if (!card || event.metaKey || event.ctrlKey || event.altKey) return
    const task = tasks.find(({ id }) => id === card.dataset.card)
    if (task === undefined) return
    if (held !== null) {
      if (onHeldKey(event.key, held)) event.preventDefault()
      return
    }
    if (event.key === ' ') {
      setHeld({ task, column: placeOf(task) })
      setSaid(`${task.key} picked up. Left and right choose a column, Space puts it down, Escape leaves it.`)
    } else {
      const next = neighbour(card, event.key)
      if (next === null) return
      next.focus()
    }
    event.preventDefault()
  }

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the cards in it */}
      <section
        className="board"
        aria-label={`Board of ${project.name}`}
        ref={frame}
        onKeyDown={onKeyDown}
        onPointerDown={() => setHeld(null)}
      >
        {places.map(({ place, name, column }, at) => (
          <BoardColumn
            key={place}
            place={place}
            name={name}
            column={column}
            at={at}
            project={project}
            columns={columns}
            places={places}
            tasks={tasks.filter((task) => (task.id === held?.task.id ? held.column : placeOf(task)) === place)}
            held={held?.task.id ?? null}
            onMove={moveTo}
            onMoveId={(id, to) => {
              const task = tasks.find((each) => each.id === id)
              if (task) moveTo(task, to)
            }}
            onOpen={onOpen}
          />
        ))}
        {project.status !== 'archived' && (
          <div className="board-new">
            <Button kind="quiet" icon={Plus} onClick={() => setAdding(true)}>
              New column
            </Button>
          </div>
        )}
      </section>
      <p className="unseen" role="status" aria-live="assertive">
        {said}
      </p>
      {isAdding && <ColumnDialog project={project} onClose={() => setAdding(false)} />}
    </>
  )
}

export interface Place {
  readonly place: string
  readonly name: string
  readonly column: Column | null
}

function placeOf(task: Task): string {
  return task.column ?? nowhere
}

/** The columns, and one before them for tasks that are in none. */
function placesOf(columns: readonly Column[], tasks: readonly Task[]): readonly Place[] {
  const places = columns.toSorted(byPosition).map((column) => ({ place: column.id, name: column.name, column }))
  const hasLoose = tasks.some(({ column }) => column === null)
  return hasLoose ? [{ place: nowhere, name: 'No column', column: null }, ...places] : places
}

/** Three columns are what most begin with. */
function FirstColumns({ project }: { readonly project: Project }) {
  const make = useWrite({
    write: async (atrium, { workspace, id }: Project) => {
      for (const name of first_columns) await atrium.columns.create({ workspace, project: id, name })
      return null
    },
    touches: ['column'],
    done: () => 'Three columns made',
  })
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <Empty
        icon={Columns3}
        title="This board has no columns yet"
        actions={
          <>
            <Button kind="primary" busy={make.busy} onClick={() => void make.run(project)}>
              Begin with {first_columns.join(', ')}
            </Button>
            <Button onClick={() => setAdding(true)}>Make my own</Button>
          </>
        }
      >
        Columns are the steps that work goes through. Cards move from one to the next by the pointer, by Space and the
        arrows, or by an automation.
      </Empty>
      {isAdding && <ColumnDialog project={project} onClose={() => setAdding(false)} />}
    </>
  )
}

function BoardComing() {
  return (
    <div className="board" aria-busy="true">
      {['a', 'b', 'c', 'd'].map((column) => (
        <div className="board-column" key={column}>
          <div className="board-head">
            <Skeleton width="40%" />
          </div>
          <div className="board-cards">
            {['1', '2', '3'].map((card) => (
              <Skeleton key={card} height="5.5rem" />
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}
