/** A column of the board: its cards, what can be done with it, and a field for the next card. */
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import type { Column, Project, Task } from '@atrium/sdk'
import { ArrowLeft, ArrowRight, MoreHorizontal, Pencil, Plus, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useMode, useWrite } from '../../data/index.ts'
import { withMode } from '../../data/mode.ts'
import { ConfirmDialog, IconButton, Menu } from '../../design/index.ts'
import type { Place } from './board.tsx'
import { AddCard } from './board-add.tsx'
import { BoardCard } from './board-card.tsx'
import { ColumnDialog } from './column-dialog.tsx'
import { useColumnOrder } from './column-order.ts'

interface BoardColumnProps extends Place {
  readonly project: Project
  readonly columns: readonly Column[]
  readonly places: readonly Place[]
  readonly tasks: readonly Task[]
  readonly held: string | null
  readonly onMove: (task: Task, place: string) => void
  readonly onMoveId: (task: string, place: string) => void
  readonly onOpen: (key: string) => void
}

export function BoardColumn(props: BoardColumnProps) {
  const { place, name, column, project, columns, places, tasks, held, onMove, onMoveId, onOpen } = props
  const mode = useMode()
  const order = useColumnOrder(project, columns)
  const { box, head, over } = useDropping({ place, column, onMoveId, onColumn: order.before })
  const isArchived = project.status === 'archived'
  return (
    <section className="board-column" data-column={place} data-over={over ?? undefined} aria-label={name} ref={box}>
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
            places={places}
            place={place}
            isHeld={task.id === held}
            isFixed={isArchived}
            onMove={(to) => onMove(task, to)}
            onOpen={() => onOpen(task.key)}
          />
        ))}
        {tasks.length === 0 && <li className="board-none subtle">Nothing here. Drop a card, or add one.</li>}
      </ul>
      {!isArchived && <AddCard project={project} column={column?.id ?? null} name={name} />}
    </section>
  )
}

interface Dropping {
  readonly place: string
  readonly column: Column | null
  readonly onMoveId: (task: string, place: string) => void
  readonly onColumn: (column: string, target: string) => void
}

/** Takes cards, and other columns by their heads. */
function useDropping(dropping: Dropping) {
  const box = useRef<HTMLElement>(null)
  const head = useRef<HTMLElement>(null)
  const [over, setOver] = useState<'card' | 'column' | null>(null)
  const latest = useRef(dropping)
  latest.current = dropping
  const { place } = dropping
  const isColumn = dropping.column !== null
  useEffect(() => {
    const [element, handle] = [box.current, head.current]
    if (element === null || handle === null) return
    return combine(
      draggable({
        element: handle,
        canDrag: () => isColumn,
        getInitialData: () => ({ column: place }),
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => 'card' in source.data || (isColumn && 'column' in source.data),
        onDragEnter: ({ source }) => setOver('card' in source.data ? 'card' : 'column'),
        onDragLeave: () => setOver(null),
        onDrop: ({ source }) => {
          setOver(null)
          const { card, column } = source.data
          if (typeof card === 'string') latest.current.onMoveId(card, place)
          else if (typeof column === 'string') latest.current.onColumn(column, place)
        },
      }),
    )
  }, [place, isColumn])
  return { box, head, over }
}

interface ColumnMenuProps {
  readonly project: Project
  readonly column: Column
  readonly columns: readonly Column[]
  readonly count: number
}

function ColumnMenu({ project, column, columns, count }: ColumnMenuProps) {
  const [open, setOpen] = useState<'edit' | 'delete' | 'add' | null>(null)
  const order = useColumnOrder(project, columns)
  const close = () => setOpen(null)
  const drop = useWrite({
    write: (atrium, id: string) => atrium.columns.delete(id),
    touches: ['task'],
    done: () => `${column.name} deleted`,
  })
  const at = columns.findIndex(({ id }) => id === column.id)
  return (
    <>
      <Menu
        label={`Column ${column.name}`}
        trigger={<IconButton icon={MoreHorizontal} label={`More about ${column.name}`} size="s" />}
        items={[
          { label: 'Name and colour…', icon: Pencil, onSelect: () => setOpen('edit') },
          { label: 'Move left', icon: ArrowLeft, disabled: at <= 0, onSelect: () => order.step(column.id, -1) },
          {
            label: 'Move right',
            icon: ArrowRight,
            disabled: at === columns.length - 1,
            onSelect: () => order.step(column.id, 1),
          },
          { label: 'New column…', icon: Plus, onSelect: () => setOpen('add') },
          'line',
          { label: 'Delete…', icon: Trash2, danger: true, onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'edit' && <ColumnDialog project={project} column={column} onClose={close} />}
      {open === 'add' && <ColumnDialog project={project} onClose={close} />}
      <ConfirmDialog
        open={open === 'delete'}
        onClose={close}
        title={`Delete “${column.name}”?`}
        action="Delete"
        busy={drop.busy}
        onConfirm={() => void drop.run(column.id).then(close)}
      >
        {count === 0
          ? 'It has no tasks.'
          : `Its ${count === 1 ? 'task stays' : `${count} tasks stay`} in the project, without a column.`}
      </ConfirmDialog>
    </>
  )
}
