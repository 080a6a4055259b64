/**
 * Tasks on the canvas: an element that links to the page of a task is covered by a card with the task's state, which follows live.
 * The element below is moved, connected and deleted like any other.
 */

import type { Task } from '@atrium/sdk'
import type { ExcalidrawElement } from '@excalidraw/excalidraw/element/types'
import { type ComponentType, memo } from 'react'
import { hasErrorCode, useDirectory } from '../../../data/index.ts'
import { Avatar, RelativeTime, StatusBadge } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { useBoardTask } from '../task-card.tsx'

const task_path = /\/work\/tasks\/(tsk_[0-9A-HJKMNP-TV-Z]{26})$/

/** Cards beyond this number stay plain elements. */
const cards_max = 200

/** The task whose page an element links to. */
export function taskOf({ link, isDeleted }: Pick<ExcalidrawElement, 'link' | 'isDeleted'>): string | null {
  return isDeleted || link === null ? null : (task_path.exec(link)?.[1] ?? null)
}

export interface View {
  readonly scrollX: number
  readonly scrollY: number
  readonly zoom: number
}

export interface CardPlace {
  readonly id: string
  readonly task: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly angle: number
}

/** The cards of a scene, in drawing order. */
export function cardsOf(elements: readonly ExcalidrawElement[]): CardPlace[] {
  const cards: CardPlace[] = []
  for (const element of elements) {
    const task = taskOf(element)
    if (task === null || element.type === 'arrow' || element.type === 'line' || 'containerId' in element) continue
    const { id, x, y, width, height, angle } = element
    cards.push({ id, task, x, y, width, height, angle })
    if (cards.length === cards_max) break
  }
  return cards
}

interface TaskCardsProps {
  readonly Card: ComponentType<{ readonly task: string }>
  readonly cards: readonly CardPlace[]
  readonly view: View
}

export function TaskCards({ Card, cards, view: { scrollX, scrollY, zoom } }: TaskCardsProps) {
  return (
    <div className="live-cards" style={{ transform: `scale(${zoom}) translate(${scrollX}px, ${scrollY}px)` }}>
      {cards.map(({ id, task, x, y, width, height, angle }) => (
        <div
          key={id}
          className="live-card"
          style={{ left: x, top: y, width, height, ...(angle === 0 ? {} : { transform: `rotate(${angle}rad)` }) }}
        >
          <Card task={task} />
        </div>
      ))}
    </div>
  )
}

/** A task as a signed-in person sees it. */
export const MemberCard = memo(function MemberCard({ task }: { readonly task: string }) {
  const { nameOf } = useDirectory()
  const { data, error } = useBoardTask(task)
  if (data === undefined) {
    const isDeleted = error !== null && hasErrorCode(error, 'resource_not_found', 'resource_deleted')
    return (
      <span className="board-task-key">
        {isDeleted ? t('Task deleted') : error === null ? '…' : t('Task not loaded')}
      </span>
    )
  }
  const { key, title, status, assignee, due_at } = data as Task
  return (
    <>
      <span className="board-task-line">
        <span className="board-task-key">{key}</span>
        <StatusBadge status={status} />
      </span>
      <span className="board-task-title">{title}</span>
      <span className="board-task-line">
        {assignee === null ? (
          <span className="board-task-key">{t('Unassigned')}</span>
        ) : (
          <>
            <Avatar name={nameOf(assignee)} id={assignee} size="s" />
            <span className="cut">{nameOf(assignee)}</span>
          </>
        )}
        {due_at !== null && (
          <span className="board-task-key">
            {t('Due')} <RelativeTime at={due_at} />
          </span>
        )}
      </span>
    </>
  )
})
