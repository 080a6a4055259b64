/** A lane of a board by a property, and a card in it. */
import type { Task } from '@atrium/sdk'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { memo, type Ref, type RefObject, useRef } from 'react'
import { Link } from 'wouter'
import { ValueMark } from '../../../app/filter/choice.tsx'
import { DueMark, Labels, PersonMark, PriorityMark, StatusMark } from '../../../app/tasks/marks.tsx'
import { useDirectory } from '../../../data/index.ts'
import { Button, formatLanguage, Skeleton } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { DependencyMarks } from '../dependency-marks.tsx'
import type { ListGroup } from '../list-groups.ts'
import { ParentName } from '../parent-name.tsx'
import { useIsOpen } from '../task-order.ts'

/** A card shows this many labels and the number of the others. */
const labels_max = 5
/** Cards rendered beyond either edge of the view. */
const overscan = 4
/** The height of a card whose title fills one line, and the space between cards, in pixels. */
const card_px = 96
const gap_px = 8

interface LaneViewProps {
  readonly group: ListGroup
  readonly tasks: readonly Task[] | undefined
  readonly isTarget: boolean
  readonly isNear: boolean
  /** Cards that stay in the page wherever the lane is scrolled: they have the focus or the pointer. */
  readonly pinned: ReadonlySet<string>
  readonly onMore: (() => void) | null
  readonly onOpen: (key: string) => void
}

export function LaneView(props: LaneViewProps) {
  const { group, tasks, isTarget, isNear, onMore } = props
  const { id, name, mark, count } = group
  const frame = useRef<HTMLDivElement>(null)
  return (
    <section className="by-lane" data-lane={id} data-target={isTarget || undefined} aria-label={name}>
      <header className="by-head">
        {mark !== null && <ValueMark property={mark.property} mark={mark.mark} />}
        <h2 className="by-name cut">{name}</h2>
        <span className="subtle numbers">{Math.max(count, tasks?.length ?? 0).toLocaleString(formatLanguage())}</span>
      </header>
      <div className="by-cards" ref={frame}>
        {tasks === undefined && isNear && <Skeleton width="100%" />}
        {tasks !== undefined && <Cards {...props} tasks={tasks} frame={frame} />}
        {onMore !== null && (
          <Button size="s" kind="quiet" onClick={onMore}>
            {t('Show more')}
          </Button>
        )}
      </div>
    </section>
  )
}

interface CardsProps extends Pick<LaneViewProps, 'isNear' | 'pinned' | 'onOpen'> {
  readonly tasks: readonly Task[]
  readonly frame: RefObject<HTMLDivElement | null>
}

/** The cards near the view. The others are only a height. */
function Cards({ tasks, frame, isNear, pinned, onOpen }: CardsProps) {
  const kept = tasks.flatMap(({ id }, index) => (pinned.has(id) ? [index] : []))
  const cards = useVirtualizer({
    count: isNear || kept.length > 0 ? tasks.length : 0,
    getScrollElement: () => frame.current,
    estimateSize: () => card_px,
    getItemKey: (index) => tasks[index]?.id ?? index,
    gap: gap_px,
    overscan,
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), ...kept])].toSorted((a, b) => a - b),
  })
  return (
    <ul style={{ height: cards.getTotalSize() }}>
      {cards.getVirtualItems().map(({ index, start, key }) => {
        const task = tasks[index]
        if (task === undefined) return null
        return <Card key={key} task={task} index={index} top={start} measure={cards.measureElement} onOpen={onOpen} />
      })}
    </ul>
  )
}

interface CardProps {
  readonly task: Task
  readonly index: number
  readonly top: number
  readonly measure: Ref<HTMLLIElement>
  readonly onOpen: (key: string) => void
}

const Card = memo(function Card({ task, index, top, measure, onOpen }: CardProps) {
  const { nameOf } = useDirectory()
  const isOpen = useIsOpen(task)
  const params = new URLSearchParams(location.search)
  params.set('task', task.key)
  return (
    <li
      className="by-card"
      data-card={task.id}
      data-index={index}
      data-current={isOpen || undefined}
      ref={measure}
      style={{ transform: `translateY(${top}px)` }}
    >
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
