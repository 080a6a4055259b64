import { draggable } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
import type { Task } from '@atrium/sdk'
import { MoveRight } from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useDirectory } from '../../data/index.ts'
import { IconButton, Menu } from '../../design/index.ts'
import type { Place } from './board.tsx'
import { DueMark, Labels, PersonMark, PriorityMark, StatusMark } from './marks.tsx'

interface BoardCardProps {
  readonly task: Task
  readonly to: string
  readonly places: readonly Place[]
  readonly place: string
  readonly isHeld: boolean
  /** Of an archived project. */
  readonly isFixed: boolean
  readonly onMove: (place: string) => void
  readonly onOpen: () => void
}

/** A task on the board: its whole face opens it, and can be taken. */
export const BoardCard = memo(
  function BoardCard({ task, to, places, place, isHeld, isFixed, onMove, onOpen }: BoardCardProps) {
    const { box, isDragged } = useDragging(task.id, isFixed)
    return (
      <li className="kanban-card" data-card={task.id} data-held={isHeld || isDragged || undefined} ref={box}>
        <div className="row">
          <span className="task-key numbers">{task.key}</span>
          <span className="grow" />
          {!isFixed && (
            <Menu
              label={`Move ${task.key} to`}
              trigger={<IconButton icon={MoveRight} label={`Move ${task.key} to…`} size="s" className="board-move" />}
              items={places.map((each) => ({
                label: each.name,
                checked: each.place === place,
                onSelect: () => onMove(each.place),
              }))}
            />
          )}
        </div>
        <Link
          href={to}
          className="board-link"
          draggable={false}
          aria-keyshortcuts="Space"
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return
            event.preventDefault()
            onOpen()
          }}
        >
          {task.title}
        </Link>
        <CardFoot task={task} />
      </li>
    )
  },
  (a, b) =>
    a.task === b.task && a.place === b.place && a.isHeld === b.isHeld && a.isFixed === b.isFixed && samePlaces(a, b),
)

function samePlaces(a: BoardCardProps, b: BoardCardProps): boolean {
  return a.to === b.to && a.places.map(({ name }) => name).join() === b.places.map(({ name }) => name).join()
}

function CardFoot({ task }: { readonly task: Task }) {
  const { nameOf } = useDirectory()
  return (
    <div className="board-foot">
      <StatusMark status={task.status} />
      {task.priority !== 'none' && <PriorityMark priority={task.priority} />}
      <span className="board-labels">
        <Labels labels={task.labels} max={2} />
      </span>
      <DueMark at={task.due_at} status={task.status} />
      <PersonMark id={task.assignee} name={task.assignee && nameOf(task.assignee)} />
    </div>
  )
}

function useDragging(card: string, isFixed: boolean) {
  const box = useRef<HTMLLIElement>(null)
  const [isDragged, setDragged] = useState(false)
  useEffect(() => {
    const element = box.current
    if (element === null || isFixed) return
    return draggable({
      element,
      getInitialData: () => ({ card }),
      onDragStart: () => setDragged(true),
      onDrop: () => setDragged(false),
    })
  }, [card, isFixed])
  return { box, isDragged }
}
