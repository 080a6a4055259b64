/** A subtask in the panel of its parent. It is reordered by dragging, by Alt with the arrow keys, or from its menu. */

import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine'
import type { Task } from '@atrium/sdk'
import { ArrowDown, ArrowUp, MoreHorizontal, Unlink } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { DueMark, PersonMark, StatusMark } from '../../app/tasks/marks.tsx'
import { useDirectory } from '../../data/index.ts'
import { IconButton, Menu } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { listOf, type Place } from './subtask-order.ts'
import { useTaskHref } from './subtask-reads.ts'
import { useTaskChange } from './writes.ts'

interface SubtaskRowProps {
  readonly row: Task
  /** Tasks of an archived project cannot be changed. */
  readonly isFixed: boolean
  readonly canStep: (by: -1 | 1) => boolean
  readonly onStep: (by: -1 | 1) => void
  /** A row was dropped beside this one. */
  readonly onDrop: (id: string, side: Place['side']) => void
  readonly onDetach: () => void
}

export function SubtaskRow(props: SubtaskRowProps) {
  const { row, isFixed, canStep, onStep, onDetach } = props
  const { nameOf } = useDirectory()
  const hrefOf = useTaskHref()
  const { box, edge, isDragged } = useDragging(props)
  return (
    <li className="subtask" ref={box} data-edge={edge ?? undefined} data-dragged={isDragged || undefined}>
      <CompleteButton row={row} isFixed={isFixed} />
      <Link
        href={hrefOf(row.key)}
        className="row grow subtask-link"
        draggable={false}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
        onKeyDown={(event) => {
          const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : null
          if (by === null || !event.altKey || isFixed) return
          event.preventDefault()
          onStep(by)
        }}
      >
        <span className="task-key numbers">{row.key}</span>
        <span className="cut subtask-title" data-done={row.status === 'done' || undefined}>
          {row.title}
        </span>
      </Link>
      {row.subtask_count > 0 && (
        <span
          className="subtle numbers"
          title={t('{subtask_done_count} of {subtask_count} subtasks done', {
            subtask_done_count: row.subtask_done_count,
            subtask_count: row.subtask_count,
          })}
        >
          {row.subtask_done_count}/{row.subtask_count}
        </span>
      )}
      <DueMark at={row.due_at} status={row.status} />
      <PersonMark id={row.assignee} name={row.assignee && nameOf(row.assignee)} />
      {!isFixed && (
        <Menu
          label={t('Subtask {key}', { key: row.key })}
          trigger={<IconButton icon={MoreHorizontal} label={t('Actions for {key}', { key: row.key })} size="s" />}
          items={[
            { label: t('Move up'), icon: ArrowUp, disabled: !canStep(-1), onSelect: () => onStep(-1) },
            { label: t('Move down'), icon: ArrowDown, disabled: !canStep(1), onSelect: () => onStep(1) },
            'line',
            { label: t('Detach'), icon: Unlink, hint: t('It stays as a task of its own'), onSelect: onDetach },
          ]}
        />
      )}
    </li>
  )
}

function CompleteButton({ row, isFixed }: { readonly row: Task; readonly isFixed: boolean }) {
  const change = useTaskChange()
  const isDone = row.status === 'done'
  if (isFixed) return <StatusMark status={row.status} />
  return (
    <button
      type="button"
      className="subtask-status"
      aria-label={isDone ? t('Reopen {key}', { key: row.key }) : t('Complete {key}', { key: row.key })}
      onClick={() => void change.run({ id: row.id, fields: { status: isDone ? 'todo' : 'done' } })}
    >
      <StatusMark status={row.status} />
    </button>
  )
}

/** Rows are dropped between others of the same list. */
function useDragging(props: SubtaskRowProps) {
  const box = useRef<HTMLLIElement>(null)
  const [edge, setEdge] = useState<Place['side'] | null>(null)
  const [isDragged, setDragged] = useState(false)
  const latest = useRef(props)
  latest.current = props
  const { isFixed } = props
  const { id } = props.row
  const list = listOf(props.row)
  useEffect(() => {
    const element = box.current
    if (element === null || isFixed) return
    const sideAt = (clientY: number): Place['side'] => {
      const { top, height } = element.getBoundingClientRect()
      return clientY < top + height / 2 ? 'before' : 'after'
    }
    return combine(
      draggable({
        element,
        getInitialData: () => ({ subtask: id, list }),
        onDragStart: () => setDragged(true),
        onDrop: () => setDragged(false),
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data.list === list && source.data.subtask !== id,
        onDrag: ({ location }) => setEdge(sideAt(location.current.input.clientY)),
        onDragLeave: () => setEdge(null),
        onDrop: ({ source, location }) => {
          setEdge(null)
          latest.current.onDrop(String(source.data.subtask), sideAt(location.current.input.clientY))
        },
      }),
    )
  }, [id, list, isFixed])
  return { box, edge, isDragged }
}
