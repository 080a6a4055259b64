/**
 * The board of a project. Cards are moved by pointer, by keyboard (see board-keyboard.ts), or from the menu of a card. A
 * card picked up by keyboard is shown in its new lane before the move is written.
 */
import './board.css'
import type { Column, Project, Task } from '@atrium/sdk'
import { Columns3, Plus } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { byPosition, useColumns } from '../../app/tasks/reads.ts'
import { inTurn, isGuest, useWrite } from '../../data/index.ts'
import { Button, Empty, Skeleton } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { BoardColumn, CardSkeletons, type ColumnActions } from './board-column.tsx'
import { useCardDrag } from './board-drag.ts'
import { useBoardKeyboard } from './board-keyboard.ts'
import { type BoardTasks, type Lane, type LaneTasks, no_column, useBoardTasks } from './board-lanes.ts'
import { type CardPlace, moveTo, moveToEnd } from './board-order.ts'
import { ColumnDialog } from './column-dialog.tsx'
import { MappingOffer } from './column-status.tsx'
import { useNearLanes } from './near-lanes.ts'
import { SelectedTasks } from './task-actions/selected-tasks.tsx'
import { useShownOrder } from './task-order.ts'
import { type TaskMove, useTaskMove } from './writes.ts'

const first_columns = [
  { name: t('To do'), status: 'todo' },
  { name: t('In progress'), status: 'in_progress' },
  { name: t('Done'), status: 'done' },
] as const

interface BoardProps {
  readonly id: string
  readonly project: Project | undefined
  readonly onOpen: (key: string) => void
  /** Only tasks that match it are shown. */
  readonly filter?: string
}

export function Board({ id, project, onOpen, filter = '' }: BoardProps) {
  const { columns, error, refetch } = useColumns(id)
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (columns === undefined || project === undefined) return <BoardSkeleton />
  return <Lanes project={project} columns={columns} onOpen={onOpen} filter={filter} />
}

interface LanesProps {
  readonly project: Project
  readonly columns: readonly Column[]
  readonly onOpen: (key: string) => void
  readonly filter: string
}

function Lanes({ project, columns, onOpen, filter }: LanesProps) {
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const focusLater = useFocusOnColumns(frame, columns.length)
  const lanes = useMemo(() => lanesOf(columns), [columns])
  const { near, seen } = useNearLanes(frame, idsOf(lanes), 'data-column', no_column)
  const board = useBoardTasks(project, lanes, seen, filter)
  const isEmpty = ({ lane, tasks, count }: LaneTasks) =>
    lane.column === null && count === 0 && (tasks?.length ?? 0) === 0
  const shown = board.lanes.filter((each) => !isEmpty(each))
  const { moveTask, moveTaskToEnd } = useMoves(project, shown, board)
  const isFixed = project.status === 'archived'
  const { held, announcement, ...keyboard } = useBoardKeyboard({
    frame,
    lanes: shown,
    find: board.find,
    isFixed,
    onMove: moveTask,
  })
  const dragged = useDraggedCard(frame, !isFixed, board, moveTask)
  const { actions, added } = useActions(board, onOpen, moveTaskToEnd)
  const hasNone = shown.some(({ lane }) => lane.column === null)
  const names = useMemo(() => (hasNone ? lanes : lanes.filter(({ column }) => column !== null)), [lanes, hasNone])
  const none = board.lanes.find(({ lane }) => lane.column === null)
  useShownOrder(
    shown.flatMap(({ tasks }) => tasks ?? []),
    shown.reduce((sum, { count }) => sum + count, 0),
  )
  if (columns.length === 0 && none?.tasks === undefined && none?.error == null) return <BoardSkeleton />
  // Whether tasks without a column have a lane is known with the counts. Those of a filter take longer.
  if (!board.isCounted && filter === '') return <BoardSkeleton />
  const error = board.lanes.find((each) => each.error !== null && each.tasks === undefined)?.error
  if (error) return <ErrorState error={error} onRetry={board.retry} />
  if (columns.length === 0 && shown.length === 0) return <NoColumns project={project} onStart={focusLater} />
  return (
    <>
      <MappingOffer project={project} columns={columns} />
      <section
        className="board"
        aria-label={t('Board of {name}', { name: project.name })}
        ref={setFrame}
        onKeyDown={keyboard.onKeyDown}
        onPointerDown={keyboard.onPointerDown}
      >
        {shown.map((each) => (
          <BoardColumn
            key={each.lane.id}
            {...{ project, columns, dragged, actions }}
            lanes={names}
            shown={each}
            held={held?.lane === each.lane.id ? held : null}
            away={held?.task.id ?? null}
            added={added?.lane === each.lane.id ? added.id : null}
            isNear={near.has(each.lane.id)}
          />
        ))}
        {project.status !== 'archived' && !isGuest() && <NewColumn project={project} hasColumns={columns.length > 0} />}
      </section>
      <SelectedTasks />
      <p className="unseen" role="status" aria-live="assertive">
        {announcement}
      </p>
    </>
  )
}

/** Call before the first columns take the place of the button that creates them: their first button gets its focus. */
function useFocusOnColumns(frame: HTMLElement | null, count: number): () => void {
  const isDue = useRef(false)
  useEffect(() => {
    if (!isDue.current || frame === null || count === 0) return
    isDue.current = false
    if (document.activeElement === document.body) frame.querySelector<HTMLElement>('.board-add')?.focus()
  }, [frame, count])
  return () => {
    isDue.current = true
  }
}

/** What cards and columns do, and the task that was just added. */
function useActions(board: BoardTasks, onOpen: (key: string) => void, onMoveToEnd: (task: Task, lane: string) => void) {
  const [added, setAdded] = useState<{ readonly id: string; readonly lane: string } | null>(null)
  const actions = useSteady({
    onMoveToEnd,
    onOpen,
    onMore: board.loadMore,
    onAdded: (task) => {
      board.add(task)
      board.recount()
      setAdded({ id: task.id, lane: task.column ?? no_column })
    },
    onHideDone: board.setHidesDone,
  })
  return { actions, added }
}

/** The card that is dragged by pointer. */
function useDraggedCard(
  frame: HTMLElement | null,
  isEnabled: boolean,
  { find }: BoardTasks,
  onMove: (task: Task, place: CardPlace) => void,
): string | null {
  const [dragged, setDragged] = useState<string | null>(null)
  useCardDrag(frame, isEnabled, {
    onStart: setDragged,
    onEnd: () => setDragged(null),
    onDrop: (id, place) => {
      const task = find(id)
      if (task !== undefined) onMove(task, place)
    },
  })
  return dragged
}

function useMoves(project: Project, lanes: readonly LaneTasks[], { recount }: BoardTasks) {
  const move = useTaskMove()
  const run = (planned: TaskMove | null) => {
    if (planned !== null) void move.run(planned).then(recount)
  }
  return {
    moveTask: (task: Task, place: CardPlace) => run(moveTo(project, lanes, task, place)),
    moveTaskToEnd: (task: Task, lane: string) => run(moveToEnd(project, lanes, task, lane)),
  }
}

/** Functions that stay the same from one rendering to the next and call the latest ones. */
function useSteady(actions: ColumnActions): ColumnActions {
  const latest = useRef(actions)
  latest.current = actions
  return useMemo(
    () => ({
      onMoveToEnd: (...given) => latest.current.onMoveToEnd(...given),
      onOpen: (...given) => latest.current.onOpen(...given),
      onMore: (...given) => latest.current.onMore(...given),
      onAdded: (...given) => latest.current.onAdded(...given),
      onHideDone: (...given) => latest.current.onHideDone(...given),
    }),
    [],
  )
}

function idsOf(lanes: readonly Lane[]): readonly string[] {
  return lanes.map(({ id }) => id)
}

/** The columns in order; before them the lane of tasks without a column. */
function lanesOf(columns: readonly Column[]): readonly Lane[] {
  const lanes = columns
    .toSorted(byPosition)
    .map(({ id, name, status, color }) => ({ id, name, column: id, status, color }))
  return [{ id: no_column, name: t('No column'), column: null, status: null, color: null }, ...lanes]
}

function NewColumn({ project, hasColumns }: { readonly project: Project; readonly hasColumns: boolean }) {
  const [isAdding, setAdding] = useState(false)
  return (
    <div className="board-new">
      <Button kind="quiet" icon={Plus} onClick={() => setAdding(true)}>
        {t('New column')}
      </Button>
      {!hasColumns && <FirstColumns project={project} />}
      {isAdding && <ColumnDialog project={project} onClose={() => setAdding(false)} />}
    </div>
  )
}

/** Creates the three columns most boards start with. */
function FirstColumns({ project, onStart }: { readonly project: Project; readonly onStart?: () => void }) {
  const create = useWrite({
    write: (atrium, { workspace, id }: Project, kept) =>
      inTurn(
        first_columns.map((column) => () => atrium.columns.create({ workspace, project: id, ...column })),
        kept,
      ),
    invalidates: ['column'],
    done: () => t('Columns created'),
  })
  const start = () => {
    onStart?.()
    void create.run(project)
  }
  return (
    <Button kind="primary" busy={create.busy} onClick={start}>
      {t('Create {map}', { map: first_columns.map(({ name }) => name).join(', ') })}
    </Button>
  )
}

function NoColumns({ project, onStart }: { readonly project: Project; readonly onStart: () => void }) {
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <Empty
        icon={Columns3}
        title={t('No columns yet')}
        actions={
          !isGuest() && (
            <>
              <FirstColumns project={project} onStart={onStart} />
              <Button onClick={() => setAdding(true)}>{t('New column')}</Button>
            </>
          )
        }
      >
        {t(
          'Columns are the stages that tasks go through. Move cards by dragging them, with Space and the arrow keys, or by an automation.',
        )}
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
            <CardSkeletons />
          </div>
        </div>
      ))}
    </div>
  )
}
