/**
 * The board by keyboard. Arrow keys move the focus from card to card. Space picks the focused card up; then the arrow keys
 * choose its place within and across lanes, Space drops the card there, and Escape puts it back. The move is written only
 * when the card is dropped.
 */
import type { Task } from '@atrium/sdk'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { t } from '../../language/index.ts'
import { neighbour } from './board-focus.ts'
import type { LaneTasks } from './board-lanes.ts'
import { type CardPlace, placeOf, withoutCard } from './board-order.ts'
import { useBoardArrows } from './page-arrows.ts'

export interface HeldCard extends CardPlace {
  readonly task: Task
}

interface HeldCardInput {
  readonly lanes: readonly LaneTasks[]
  readonly onMove: (task: Task, place: CardPlace) => void
  /** The place that a key leads to; null if there is no further one. */
  readonly next?: typeof nextPlace
}

interface BoardKeyboardInput extends HeldCardInput {
  readonly frame: HTMLElement | null
  readonly find: (id: string) => Task | undefined
  readonly isFixed: boolean
}

export function useBoardKeyboard(input: BoardKeyboardInput) {
  useBoardArrows()
  const { frame, find, isFixed } = input
  const { held, announcement, pickUp, release, onHeldKey } = useHeldCard(input)
  const focused = useRef<string | null>(null)
  // A card in another lane is a new element, so the focus has to be set again.
  useEffect(() => {
    const id = held?.task.id ?? focused.current
    if (id === null || (held === null && document.activeElement !== document.body)) return
    const link = frame?.querySelector<HTMLElement>(`[data-card="${id}"] a`)
    if (link !== document.activeElement) link?.focus({ preventScroll: held !== null })
  })
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const card = (event.target as HTMLElement).closest('a')?.closest<HTMLElement>('[data-card]')
    if (!card || event.metaKey || event.ctrlKey || event.altKey) return
    const task = find(card.dataset.card ?? '')
    if (task === undefined) return
    focused.current = task.id
    if (held !== null) {
      if (onHeldKey(event.key, held)) event.preventDefault()
      return
    }
    if (event.key === ' ') {
      if (!isFixed) pickUp(task)
    } else {
      const next = neighbour(card, event.key)
      if (next === null) return
      next.focus()
    }
    event.preventDefault()
  }
  /** The pointer takes over. */
  const onPointerDown = () => {
    focused.current = null
    release()
  }
  return { held, announcement, onKeyDown, onPointerDown }
}

/** The card that is picked up, and the keys that carry it. */
export function useHeldCard({ lanes, onMove, next: placeAfter = nextPlace }: HeldCardInput) {
  const [held, setHeld] = useState<HeldCard | null>(null)
  /** For screen readers. */
  const [announcement, setAnnouncement] = useState('')
  const release = () => setHeld(null)
  const nameOf = (id: string) => lanes.find(({ lane }) => lane.id === id)?.lane.name ?? t('no column')
  const pickUp = (task: Task) => {
    const place = placeOf(lanes, task.id)
    if (place === null) return
    setHeld({ task, ...place })
    setAnnouncement(
      t('{key} picked up. {describe}. The arrow keys choose a place, Space drops it, Escape cancels.', {
        key: task.key,
        describe: describe(lanes, task, place),
      }),
    )
  }
  const carry = (card: HeldCard, key: string) => {
    const next = placeAfter(lanes, card, key)
    if (next === null) return
    setHeld({ task: card.task, ...next })
    setAnnouncement(describe(lanes, card.task, next))
  }
  const drop = ({ task, ...place }: HeldCard) => {
    release()
    setAnnouncement(t('{key} dropped. {describe}.', { key: task.key, describe: describe(lanes, task, place) }))
    onMove(task, place)
  }
  const cancel = ({ task }: HeldCard) => {
    release()
    setAnnouncement(t('{key} stays in {name}.', { key: task.key, name: nameOf(placeOf(lanes, task.id)?.lane ?? '') }))
  }
  /** Returns whether the key is used up. */
  const onHeldKey = (key: string, card: HeldCard): boolean => {
    if (key.startsWith('Arrow') || key === 'Home' || key === 'End') carry(card, key)
    else if (key === ' ' || key === 'Enter') drop(card)
    else if (key === 'Escape' || key === 'Tab') cancel(card)
    return key !== 'Tab'
  }
  return { held, announcement, pickUp, release, onHeldKey }
}

/** Position 3 of 12 in Review. */
function describe(lanes: readonly LaneTasks[], task: Task, { lane: id, index }: CardPlace): string {
  const target = lanes.find(({ lane }) => lane.id === id)
  if (target === undefined) return ''
  const isOwn = target.tasks?.some((each) => each.id === task.id) ?? false
  return t('Position {index} of {count} in {name}', {
    index: index + 1,
    count: target.count + (isOwn ? 0 : 1),
    name: target.lane.name,
  })
}

/** The place that a key leads to; null if there is no further one. A lane that is still being read has one place. */
export function nextPlace(lanes: readonly LaneTasks[], { task, lane, index }: HeldCard, key: string): CardPlace | null {
  const at = lanes.findIndex((each) => each.lane.id === lane)
  const lengthOf = (target: LaneTasks) => withoutCard(target, task.id).others.length
  const own = lanes[at]
  if (own === undefined) return null
  const last = lengthOf(own)
  if (key === 'ArrowUp') return index > 0 ? { lane, index: index - 1 } : null
  if (key === 'ArrowDown') return index < last ? { lane, index: index + 1 } : null
  if (key === 'Home') return { lane, index: 0 }
  if (key === 'End') return { lane, index: last }
  const next = lanes[at + (key === 'ArrowLeft' ? -1 : 1)]
  return next === undefined ? null : { lane: next.lane.id, index: Math.min(index, lengthOf(next)) }
}
