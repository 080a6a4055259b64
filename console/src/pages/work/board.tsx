/**
 * The board of a project. Cards are moved by the pointer, by Space and the arrows, or by the menu of a card. Where a held
 * card would go is shown before it is written; Escape leaves it where it was.
 */
import './board.css'
import type { Column, Project, Task } from '@atrium/sdk'
import { Columns3, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { useAll, useWrite } from '../../data/index.ts'
import { Button, Empty, Notice, Skeleton } from '../../design/index.ts'
import { BoardColumn } from './board-column.tsx'
import { useHolding } from './board-holding.ts'
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
  const [isAdding, setAdding] = useState(false)
  const move = useTaskMove()
  const places = placesOf(columns, tasks)
  const moveTo = (task: Task, place: string) => {
    if (placeOf(task) === place) return
    const to = places.find((each) => each.place === place)?.name ?? 'no column'
    void move.run({ id: task.id, project: project.id, column: place === nowhere ? null : place, to })
  }
  const holding = useHolding({ places, tasks, onMove: moveTo, placeOf })
  const { held } = holding
  return (
    <>
      <section
        className="board"
        aria-label={`Board of ${project.name}`}
        ref={holding.frame}
        onKeyDown={holding.onKeyDown}
        onPointerDown={holding.drop}
      >
        {places.map((place) => (
          <BoardColumn
            key={place.place}
            {...place}
            project={project}
            columns={columns}
            places={places}
            tasks={tasks.filter((task) => (task.id === held?.task.id ? held.place : placeOf(task)) === place.place)}
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
            {columns.length === 0 && <BeginWithThree project={project} />}
          </div>
        )}
      </section>
      <p className="unseen" role="status" aria-live="assertive">
        {holding.said}
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
function BeginWithThree({ project }: { readonly project: Project }) {
  const make = useWrite({
    write: async (atrium, { workspace, id }: Project) => {
      for (const name of first_columns) await atrium.columns.create({ workspace, project: id, name })
      return null
    },
    touches: ['column'],
    done: () => 'Three columns made',
  })
  return (
    <Button kind="primary" busy={make.busy} onClick={() => void make.run(project)}>
      Begin with {first_columns.join(', ')}
    </Button>
  )
}

function FirstColumns({ project }: { readonly project: Project }) {
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <Empty
        icon={Columns3}
        title="This board has no columns yet"
        actions={
          <>
            <BeginWithThree project={project} />
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
