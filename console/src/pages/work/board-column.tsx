/** A lane of the board: its cards, its menu, and the field for a new card. */
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import type { Column, Project, Task } from '@atrium/sdk'
import { ArrowLeft, ArrowRight, MoreHorizontal, Pencil, Plus, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useMode, useWrite } from '../../data/index.ts'
import { withMode } from '../../data/mode.ts'
import { ConfirmDialog, IconButton, Menu } from '../../design/index.ts'
import { AddCard } from './board-add.tsx'
import { BoardCard } from './board-card.tsx'
import type { Lane } from './board-keyboard.ts'
import { ColumnDialog } from './column-dialog.tsx'
import { useColumnOrder } from './column-order.ts'

interface BoardColumnProps {
  readonly project: Project
  readonly columns: readonly Column[]
  readonly lanes: readonly Lane[]
  readonly lane: Lane
  readonly tasks: readonly Task[]
  /** The task whose card the keyboard has picked up. */
  readonly held: string | null
  readonly onMove: (task: Task, lane: string) => void
  readonly onMoveId: (task: string, lane: string) => void
  readonly onOpen: (key: string) => void
}

export function BoardColumn(props: BoardColumnProps) {
  const { lane, project, columns, lanes, tasks, held, onMove, onMoveId, onOpen } = props
  const { id, name, column } = lane
  const mode = useMode()
  const order = useColumnOrder(project, columns)
  const { box, head, over } = useDropping({ lane, onMoveId, onColumn: order.moveBefore })
  const isArchived = project.status === 'archived'
  return (
    <section className="board-column" data-column={id} data-over={over ?? undefined} aria-label={name} ref={box}>
      <header className="board-head" ref={head} data-movable={column !== null || undefined}>
        <span className="board-color" style={column?.color ? { background: column.color } : undefined} />
        <h2 className="board-name cut">{name}</h2>
        <span className="subtle numbers">
          {tasks.length}
          <span className="unseen">{tasks.length === 1 ? ' task' : ' tasks'}</span>
        </span>
        {column !== null && !isArchived && (
          <ColumnMenu project={project} column={column} columns={columns} count={tasks.length} />
        )}
      </header>
      <ul className="board-cards" aria-label={`Tasks in ${name}`}>
        {tasks.map((task) => (
          <BoardCard
            key={task.id}
            task={task}
            to={withMode(`/work/projects/${project.id}?task=${task.key}`, mode)}
            lanes={lanes}
            lane={id}
            isHeld={task.id === held}
            isFixed={isArchived}
            onMove={(to) => onMove(task, to)}
            onOpen={() => onOpen(task.key)}
          />
        ))}
        {tasks.length === 0 && <li className="board-none subtle">No tasks. Drop a card here or add one.</li>}
      </ul>
      {!isArchived && <AddCard project={project} column={column?.id ?? null} name={name} />}
    </section>
  )
}

interface Dropping {
  readonly lane: Lane
  readonly onMoveId: (task: string, lane: string) => void
  readonly onColumn: (column: string, target: string) => void
}

/** Accepts cards, and other columns that are dragged by their heads. */
function useDropping(dropping: Dropping) {
  const box = useRef<HTMLElement>(null)
  const head = useRef<HTMLElement>(null)
  const [over, setOver] = useState<'card' | 'column' | null>(null)
  const latest = useRef(dropping)
  latest.current = dropping
  const { id } = dropping.lane
  const isColumn = dropping.lane.column !== null
  useEffect(() => {
    const [element, handle] = [box.current, head.current]
    if (element === null || handle === null) return
    return combine(
      draggable({
        element: handle,
        canDrag: () => isColumn,
        getInitialData: () => ({ column: id }),
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => 'card' in source.data || (isColumn && 'column' in source.data),
        onDragEnter: ({ source }) => setOver('card' in source.data ? 'card' : 'column'),
        onDragLeave: () => setOver(null),
        onDrop: ({ source }) => {
          setOver(null)
          const { card, column } = source.data
          if (typeof card === 'string') latest.current.onMoveId(card, id)
          else if (typeof column === 'string') latest.current.onColumn(column, id)
        },
      }),
    )
  }, [id, isColumn])
  return { box, head, over }
}

interface ColumnMenuProps {
  readonly project: Project
  readonly column: Column
  readonly columns: readonly Column[]
  /** How many tasks the column has. */
  readonly count: number
}

function ColumnMenu({ project, column, columns, count }: ColumnMenuProps) {
  const [dialog, setDialog] = useState<'edit' | 'delete' | 'add' | null>(null)
  const order = useColumnOrder(project, columns)
  const close = () => setDialog(null)
  const index = columns.findIndex(({ id }) => id === column.id)
  const isLast = index === columns.length - 1
  return (
    <>
      <Menu
        label={`Column ${column.name}`}
        trigger={<IconButton icon={MoreHorizontal} label={`Actions for ${column.name}`} size="s" />}
        items={[
          { label: 'Edit…', icon: Pencil, onSelect: () => setDialog('edit') },
          { label: 'Move left', icon: ArrowLeft, disabled: index <= 0, onSelect: () => order.moveBy(column.id, -1) },
          { label: 'Move right', icon: ArrowRight, disabled: isLast, onSelect: () => order.moveBy(column.id, 1) },
          { label: 'New column…', icon: Plus, onSelect: () => setDialog('add') },
          'line',
          { label: 'Delete…', icon: Trash2, danger: true, onSelect: () => setDialog('delete') },
        ]}
      />
      {dialog === 'edit' && <ColumnDialog project={project} column={column} onClose={close} />}
      {dialog === 'add' && <ColumnDialog project={project} onClose={close} />}
      {dialog === 'delete' && <DeleteColumn column={column} count={count} onClose={close} />}
    </>
  )
}

interface DeleteColumnProps extends Pick<ColumnMenuProps, 'column' | 'count'> {
  readonly onClose: () => void
}

function DeleteColumn({ column: { id, name }, count, onClose }: DeleteColumnProps) {
  const write = useWrite({
    write: (atrium) => atrium.columns.delete(id),
    invalidates: ['task'],
    done: () => `${name} deleted`,
  })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete “${name}”?`}
      action="Delete"
      busy={write.busy}
      onConfirm={() => void write.run(undefined).then(onClose)}
    >
      {count === 0
        ? 'The column has no tasks.'
        : `Its ${count === 1 ? 'task stays' : `${count} tasks stay`} in the project, without a column.`}
    </ConfirmDialog>
  )
}
