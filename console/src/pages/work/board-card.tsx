import type { Task } from '@atrium/sdk'
import { ListChecks, MoveRight } from 'lucide-react'
import { type CSSProperties, memo, type Ref, useState } from 'react'
import { Link } from 'wouter'
import { DueMark, Labels, PersonMark, PriorityMark, StatusMark } from '../../app/tasks/marks.tsx'
import { useDirectory } from '../../data/index.ts'
import { IconButton, Menu } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import type { Lane } from './board-lanes.ts'
import { DependencyMarks } from './dependency-marks.tsx'
import { FieldChips } from './field-chips.tsx'
import { ParentName } from './parent-name.tsx'
import { useIsOpen } from './task-order.ts'
import { useIsSelected } from './task-selection.ts'

/** A card shows this many labels and the number of the others. */
const labels_max = 5

export interface BoardActions {
  readonly onMoveToEnd: (task: Task, lane: string) => void
  readonly onOpen: (key: string) => void
}

interface BoardCardProps {
  readonly task: Task
  readonly to: string
  readonly lanes: readonly Lane[]
  /** The lane of the task. */
  readonly lane: string
  /** Its place among the shown tasks of the lane. */
  readonly index: number
  /** The number of tasks in the lane. */
  readonly count: number
  /** The distance from the lane's start, in pixels. */
  readonly top: number
  /** The keyboard has picked the card up. */
  readonly isHeld: boolean
  /** Cards of an archived project cannot be moved. */
  readonly isFixed: boolean
  readonly measure: Ref<HTMLLIElement>
  readonly actions: BoardActions
}

/** A task on the board. The whole card opens the task, and can be dragged. */
export const BoardCard = memo(function BoardCard(props: BoardCardProps) {
  const { task, to, lanes, lane, index, count, top, isHeld, isFixed, measure, actions } = props
  const isOpen = useIsOpen(task)
  const isSelected = useIsSelected(task.id)
  const style: CSSProperties = { transform: `translateY(${top}px)` }
  return (
    <li
      className="kanban-card"
      data-card={task.id}
      data-task={task.id}
      data-selected={isSelected || undefined}
      data-index={index}
      data-held={isHeld || undefined}
      data-current={isOpen || undefined}
      data-fixed={isFixed || undefined}
      aria-posinset={index + 1}
      aria-setsize={count}
      ref={measure}
      style={style}
    >
      <div className="row">
        <span className="task-key numbers">{task.key}</span>
        <ParentName task={task} />
        <span className="grow" />
        {!isFixed && <MoveMenu task={task} lanes={lanes} lane={lane} onMove={(to) => actions.onMoveToEnd(task, to)} />}
      </div>
      <Link
        href={to}
        className="board-link"
        draggable={false}
        aria-keyshortcuts="Space"
        aria-current={isOpen || undefined}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          actions.onOpen(task.key)
        }}
      >
        {task.title}
      </Link>
      <FieldChips task={task} />
      {task.labels.length > 0 && (
        <div className="board-labels">
          <Labels labels={task.labels} max={labels_max} />
        </div>
      )}
      <CardFoot task={task} />
    </li>
  )
})

interface MoveMenuProps {
  readonly task: Task
  readonly lanes: readonly Lane[]
  readonly lane: string
  readonly onMove: (lane: string) => void
}

/** The menu itself is made when it is first opened: hundreds of closed ones slow scrolling down. */
function MoveMenu({ task, lanes, lane, onMove }: MoveMenuProps) {
  const [isUsed, setUsed] = useState(false)
  const label = t('Move {key} to…', { key: task.key })
  if (!isUsed) {
    return (
      <button
        type="button"
        className="button icon-button board-move"
        data-kind="quiet"
        data-size="s"
        aria-label={label}
        aria-haspopup="menu"
        title={label}
        onClick={() => setUsed(true)}
      >
        <MoveRight aria-hidden="true" className="button-icon" />
      </button>
    )
  }
  return (
    <Menu
      label={t('Move {key} to', { key: task.key })}
      isFirstOpen
      trigger={<IconButton icon={MoveRight} label={label} size="s" className="board-move" />}
      items={lanes.map(({ id, name }) => ({ label: name, checked: id === lane, onSelect: () => onMove(id) }))}
    />
  )
}

function CardFoot({ task }: { readonly task: Task }) {
  const { nameOf } = useDirectory()
  return (
    <div className="board-foot">
      <StatusMark status={task.status} />
      {task.priority !== 'none' && <PriorityMark priority={task.priority} />}
      <SubtaskMark task={task} />
      <DependencyMarks task={task} />
      <span className="board-end">
        <DueMark at={task.due_at} status={task.status} inWords />
        <PersonMark id={task.assignee} name={task.assignee && nameOf(task.assignee)} />
      </span>
    </div>
  )
}

/** How many subtasks are done: 2/5. */
function SubtaskMark({ task: { subtask_count: all, subtask_done_count: done } }: { readonly task: Task }) {
  if (all === 0) return null
  const text = t('{done} of {all, plural, one {# subtask} other {# subtasks}} done', { done, all })
  return (
    <span className="board-subtasks numbers" data-done={done === all || undefined} title={text}>
      <ListChecks aria-hidden="true" />
      <span aria-hidden="true">
        {done}/{all}
      </span>
      <span className="unseen">{text}</span>
    </span>
  )
}
