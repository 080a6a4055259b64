/**
 * The board by keyboard. Arrow keys move the focus from card to card. Space picks the focused card up; then left and right
 * choose a lane, Space drops the card there, and Escape puts it back. The move is written only when the card is dropped.
 */
import type { Column, Task } from '@atrium/sdk'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { neighbour } from './board-focus.ts'

/** A column of the board, or the lane of tasks without a column. */
export interface Lane {
  readonly id: string
  readonly name: string
  readonly column: Column | null
}

interface HeldCard {
  readonly task: Task
  /** The lane it would be dropped in. */
  readonly lane: string
}

interface BoardKeyboardInput {
  readonly lanes: readonly Lane[]
  readonly tasks: readonly Task[]
  readonly laneOf: (task: Task) => string
  readonly onMove: (task: Task, lane: string) => void
}

export function useBoardKeyboard(input: BoardKeyboardInput) {
  const { tasks, laneOf } = input
  const { held, announcement, pickUp, release, onHeldKey } = useHeldCard(input)
  const frame = useRef<HTMLElement>(null)
  const focused = useRef<string | null>(null)
  // A card in another lane is a new element, so the focus has to be set again.
  useEffect(() => {
    const id = held?.task.id ?? focused.current
    if (id === null || (held === null && document.activeElement !== document.body)) return
    frame.current?.querySelector<HTMLElement>(`[data-card="${id}"] a`)?.focus()
  })
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const card = (event.target as HTMLElement).closest('a')?.closest<HTMLElement>('[data-card]')
    if (!card || event.metaKey || event.ctrlKey || event.altKey) return
    const task = tasks.find(({ id }) => id === card.dataset.card)
    if (task === undefined) return
    focused.current = task.id
    if (held !== null) {
      if (onHeldKey(event.key, held)) event.preventDefault()
      return
    }
    if (event.key === ' ') {
      pickUp({ task, lane: laneOf(task) })
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
  return { held, announcement, frame, onKeyDown, onPointerDown }
}

function useHeldCard({ lanes, laneOf, onMove }: BoardKeyboardInput) {
  const [held, setHeld] = useState<HeldCard | null>(null)
  /** For screen readers. */
  const [announcement, setAnnouncement] = useState('')
  const nameOf = (lane: string) => lanes.find(({ id }) => id === lane)?.name ?? 'no column'
  const release = () => setHeld(null)
  const pickUp = (card: HeldCard) => {
    setHeld(card)
    setAnnouncement(`${card.task.key} picked up. Left and right choose a column, Space drops it, Escape cancels.`)
  }
  const carry = ({ task, lane }: HeldCard, by: -1 | 1) => {
    const next = lanes[lanes.findIndex(({ id }) => id === lane) + by]
    if (next === undefined) return
    setHeld({ task, lane: next.id })
    setAnnouncement(`${task.key} over ${next.name}.`)
  }
  const drop = ({ task, lane }: HeldCard) => {
    release()
    setAnnouncement(`${task.key} dropped in ${nameOf(lane)}.`)
    onMove(task, lane)
  }
  const cancel = ({ task }: HeldCard) => {
    release()
    setAnnouncement(`${task.key} stays in ${nameOf(laneOf(task))}.`)
  }
  /** Returns whether the key is used up. */
  const onHeldKey = (key: string, card: HeldCard): boolean => {
    if (key === 'ArrowLeft') carry(card, -1)
    else if (key === 'ArrowRight') carry(card, 1)
    else if (key === ' ' || key === 'Enter') drop(card)
    else if (key === 'Escape' || key === 'Tab') cancel(card)
    return key !== 'Tab'
  }
  return { held, announcement, pickUp, release, onHeldKey }
}
