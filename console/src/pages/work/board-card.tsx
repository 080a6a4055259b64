import { draggable } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
import type { Task } from '@atrium/sdk'
import { MoveRight } from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useDirectory } from '../../data/index.ts'
import { IconButton, Menu } from '../../design/index.ts'
import type { Lane } from './board-keyboard.ts'
import { DueMark, Labels, PersonMark, PriorityMark, StatusMark } from './marks.tsx'

interface BoardCardProps {
  readonly task: Task
  readonly to: string
  readonly lanes: readonly Lane[]
  /** The lane of the task. */
  readonly lane: string
  /** The keyboard has picked the card up. */
  readonly isHeld: boolean
  /** Cards of an archived project cannot be moved. */
  readonly isFixed: boolean
  readonly onMove: (lane: string) => void
  readonly onOpen: () => void
}

/** A task on the board. The whole card opens the task, and can be dragged. */
export const BoardCard = memo(
  function BoardCard({ task, to, lanes, lane, isHeld, isFixed, onMove, onOpen }: BoardCardProps) {
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
              items={lanes.map(({ id, name }) => ({
                label: name,
                checked: id === lane,
                onSelect: () => onMove(id),
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
    a.task === b.task && a.lane === b.lane && a.isHeld === b.isHeld && a.isFixed === b.isFixed && hasSameLinks(a, b),
)

function hasSameLinks(a: BoardCardProps, b: BoardCardProps): boolean {
  return a.to === b.to && a.lanes.map(({ name }) => name).join() === b.lanes.map(({ name }) => name).join()
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
