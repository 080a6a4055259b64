/**
 * The board of a project. Cards are moved by pointer, by keyboard (see board-keyboard.ts), or from the menu of a card. A
 * card picked up by keyboard is shown in its new lane before the move is written.
 */
import './board.css'
import type { Column, Project, Task } from '@atrium/sdk'
import { Columns3, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { useAll, useWrite } from '../../data/index.ts'
import { Button, Empty, Notice, Skeleton } from '../../design/index.ts'
import { BoardColumn } from './board-column.tsx'
import { type Lane, useBoardKeyboard } from './board-keyboard.ts'
import { ColumnDialog } from './column-dialog.tsx'
import { useHiddenTasks } from './deletions.ts'
import { board_tasks_max, byPosition, useColumns } from './reads.ts'
import { useTaskMove } from './writes.ts'

/** The lane of tasks without a column. */
const no_column = 'none'
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
  const hidden = useHiddenTasks()
  const tasks = useMemo(
    () => list.data?.filter((task) => task.project === id && !hidden.has(task.id)),
    [list.data, hidden, id],
  )
  const failed = error ?? list.error
  if (failed) {
    const retry = () => {
      void refetch()
      void list.refetch()
    }
    return <ErrorState error={failed} onRetry={retry} />
  }
  if (columns === undefined || tasks === undefined || project === undefined) return <BoardSkeleton />
  if (columns.length === 0 && tasks.length === 0) return <NoColumns project={project} />
  return (
    <>
      {tasks.length >= board_tasks_max && (
        <Notice>{`The board shows the first ${board_tasks_max.toLocaleString('en')} tasks. The list shows all.`}</Notice>
      )}
      <Lanes project={project} columns={columns} tasks={tasks} onOpen={onOpen} />
    </>
  )
}

interface LanesProps {
  readonly project: Project
  readonly columns: readonly Column[]
  readonly tasks: readonly Task[]
  readonly onOpen: (key: string) => void
}

function Lanes({ project, columns, tasks, onOpen }: LanesProps) {
  const move = useTaskMove()
  const lanes = lanesOf(columns, tasks)
  const moveTo = (task: Task, lane: string) => {
    if (laneOf(task) === lane) return
    const to = lanes.find(({ id }) => id === lane)?.name ?? 'no column'
    void move.run({ id: task.id, project: project.id, column: lane === no_column ? null : lane, to })
  }
  const { held, announcement, ...keyboard } = useBoardKeyboard({ lanes, tasks, onMove: moveTo, laneOf })
  const shownLane = (task: Task) => (task.id === held?.task.id ? held.lane : laneOf(task))
  return (
    <>
      <section
        className="board"
        aria-label={`Board of ${project.name}`}
        ref={keyboard.frame}
        onKeyDown={keyboard.onKeyDown}
        onPointerDown={keyboard.onPointerDown}
      >
        {lanes.map((lane) => (
          <BoardColumn
            key={lane.id}
            project={project}
            columns={columns}
            lanes={lanes}
            lane={lane}
            tasks={tasks.filter((task) => shownLane(task) === lane.id)}
            held={held?.task.id ?? null}
            onMove={moveTo}
            onMoveId={(id, to) => {
              const task = tasks.find((each) => each.id === id)
              if (task) moveTo(task, to)
            }}
            onOpen={onOpen}
          />
        ))}
        {project.status !== 'archived' && <NewColumn project={project} hasColumns={columns.length > 0} />}
      </section>
      <p className="unseen" role="status" aria-live="assertive">
        {announcement}
      </p>
    </>
  )
}

function laneOf(task: Task): string {
  return task.column ?? no_column
}

/** The columns in order; before them, if needed, the lane of tasks without a column. */
function lanesOf(columns: readonly Column[], tasks: readonly Task[]): readonly Lane[] {
  const lanes = columns.toSorted(byPosition).map((column) => ({ id: column.id, name: column.name, column }))
  const needsLane = tasks.some(({ column }) => column === null)
  return needsLane ? [{ id: no_column, name: 'No column', column: null }, ...lanes] : lanes
}

function NewColumn({ project, hasColumns }: { readonly project: Project; readonly hasColumns: boolean }) {
  const [isAdding, setAdding] = useState(false)
  return (
    <div className="board-new">
      <Button kind="quiet" icon={Plus} onClick={() => setAdding(true)}>
        New column
      </Button>
      {!hasColumns && <FirstColumns project={project} />}
      {isAdding && <ColumnDialog project={project} onClose={() => setAdding(false)} />}
    </div>
  )
}

/** Creates the three columns most boards start with. */
function FirstColumns({ project }: { readonly project: Project }) {
  const create = useWrite({
    write: async (atrium, { workspace, id }: Project) => {
      for (const name of first_columns) await atrium.columns.create({ workspace, project: id, name })
      return null
    },
    invalidates: ['column'],
    done: () => 'Columns created',
  })
  return (
    <Button kind="primary" busy={create.busy} onClick={() => void create.run(project)}>
      Create {first_columns.join(', ')}
    </Button>
  )
}

function NoColumns({ project }: { readonly project: Project }) {
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <Empty
        icon={Columns3}
        title="No columns yet"
        actions={
          <>
            <FirstColumns project={project} />
            <Button onClick={() => setAdding(true)}>New column</Button>
          </>
        }
      >
        Columns are the stages that tasks go through. Move cards by dragging them, with Space and the arrow keys, or by
        an automation.
      </Empty>
      {isAdding && <ColumnDialog project={project} onClose={() => setAdding(false)} />}
    </>
  )
}

function BoardSkeleton() {
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
