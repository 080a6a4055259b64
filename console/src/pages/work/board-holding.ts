/**
 * A card in the hand of the keyboard: Space takes it, left and right carry it from column to column, Space puts it down,
 * Escape leaves it where it was. Without one the arrows go from card to card.
 */
import type { Task } from '@atrium/sdk'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Place } from './board.tsx'
import { neighbour } from './board-focus.ts'

interface Held {
  readonly task: Task
  /** Over which column. */
  readonly place: string
}

interface HoldingInput {
  readonly places: readonly Place[]
  readonly tasks: readonly Task[]
  readonly placeOf: (task: Task) => string
  readonly onMove: (task: Task, place: string) => void
}

export function useHolding({ places, tasks, placeOf, onMove }: HoldingInput) {
  const [held, setHeld] = useState<Held | null>(null)
  const [said, setSaid] = useState('')
  const frame = useRef<HTMLElement>(null)
  const focused = useRef<string | null>(null)
  const nameOf = (place: string) => places.find((each) => each.place === place)?.name ?? 'no column'

  // A card in another column is another element: the focus goes with it.
  useEffect(() => {
    const id = held?.task.id ?? focused.current
    if (id === null || (held === null && document.activeElement !== document.body)) return
    frame.current?.querySelector<HTMLElement>(`[data-card="${id}"] a`)?.focus()
  })

  const carry = ({ task, place }: Held, by: -1 | 1) => {
    const next = places[places.findIndex((each) => each.place === place) + by]
    if (next === undefined) return
    setHeld({ task, place: next.place })
    setSaid(`${task.key} over ${next.name}.`)
  }
  const putDown = ({ task, place }: Held) => {
    setHeld(null)
    setSaid(`${task.key} put down in ${nameOf(place)}.`)
    onMove(task, place)
  }
  const leave = ({ task }: Held) => {
    setHeld(null)
    setSaid(`${task.key} stays in ${nameOf(placeOf(task))}.`)
  }
  /** Whether the key was for the card. */
  const onHeldKey = (key: string, now: Held): boolean => {
    if (key === 'ArrowLeft') carry(now, -1)
    else if (key === 'ArrowRight') carry(now, 1)
    else if (key === ' ' || key === 'Enter') putDown(now)
    else if (key === 'Escape' || key === 'Tab') leave(now)
    return key !== 'Tab'
  }
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
      setHeld({ task, place: placeOf(task) })
      setSaid(`${task.key} picked up. Left and right choose a column, Space puts it down, Escape leaves it.`)
    } else {
      const next = neighbour(card, event.key)
      if (next === null) return
      next.focus()
    }
    event.preventDefault()
  }
  const drop = () => {
    focused.current = null
    setHeld(null)
  }
  return { held, said, frame, onKeyDown, drop }
}
