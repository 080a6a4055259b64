/** A lane of a board by a property, and a card in it. */
import type { Task } from '@atrium/sdk'
import { memo } from 'react'
import { Link } from 'wouter'
import { useDirectory } from '../../../data/index.ts'
import { Button, Skeleton } from '../../../design/index.ts'
import { DependencyMarks } from '../dependency-marks.tsx'
import { ValueMark } from '../filter-choice.tsx'
import type { ListGroup } from '../list-groups.ts'
import { DueMark, Labels, PersonMark, PriorityMark, StatusMark } from '../marks.tsx'
import { ParentName } from '../parent-name.tsx'
import { useIsOpen } from '../task-order.ts'

/** A card shows this many labels and the number of the others. */
const labels_max = 5

interface LaneViewProps {
  readonly group: ListGroup
  readonly tasks: readonly Task[] | undefined
  readonly isTarget: boolean
  readonly onMore: (() => void) | null
  readonly onOpen: (key: string) => void
}

export function LaneView({ group, tasks, isTarget, onMore, onOpen }: LaneViewProps) {
  const { id, name, mark, count } = group
  return (
    <section className="by-lane" data-lane={id} data-target={isTarget || undefined} aria-label={name}>
      <header className="by-head">
        {mark !== null && <ValueMark property={mark.property} mark={mark.mark} />}
        <h2 className="by-name cut">{name}</h2>
        <span className="subtle numbers">{Math.max(count, tasks?.length ?? 0).toLocaleString('en')}</span>
      </header>
      <div className="by-cards">
        {tasks === undefined && <Skeleton width="100%" />}
        <ul>
          {tasks?.map((task) => (
            <Card key={task.id} task={task} onOpen={onOpen} />
          ))}
        </ul>
        {onMore !== null && (
          <Button size="s" kind="quiet" onClick={onMore}>
            Show more
          </Button>
        )}
      </div>
    </section>
  )
}

interface CardProps {
  readonly task: Task
  readonly onOpen: (key: string) => void
}

const Card = memo(function Card({ task, onOpen }: CardProps) {
  const { nameOf } = useDirectory()
  const isOpen = useIsOpen(task)
  const params = new URLSearchParams(location.search)
  params.set('task', task.key)
  return (
    <li className="by-card" data-card={task.id} data-current={isOpen || undefined}>
      <div className="row">
        <span className="task-key numbers">{task.key}</span>
        <ParentName task={task} />
        <span className="grow" />
        {/* They arrive after the card, and nothing beside them has to move here. */}
        <DependencyMarks task={task} />
      </div>
      <Link
        href={`${location.pathname}?${params}`}
        className="by-link"
        draggable={false}
        aria-keyshortcuts="Space"
        aria-current={isOpen || undefined}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          onOpen(task.key)
        }}
      >
        {task.title}
      </Link>
      {task.labels.length > 0 && (
        <div className="by-labels">
          <Labels labels={task.labels} max={labels_max} />
        </div>
      )}
      <div className="by-foot">
        <StatusMark status={task.status} />
        {task.priority !== 'none' && <PriorityMark priority={task.priority} />}
        <span className="grow" />
        <DueMark at={task.due_at} status={task.status} inWords />
        <PersonMark id={task.assignee} name={task.assignee && nameOf(task.assignee)} />
      </div>
    </li>
  )
})
