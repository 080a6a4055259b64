/** Cards move between lanes by pointer, and by keyboard: Space picks up, Left and Right choose a lane, Space drops, Escape cancels. */
import type { Task } from '@atrium/sdk'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { t } from '../../../language/index.ts'
import type { ListGroup } from '../list-groups.ts'
import { useBoardArrows } from '../page-arrows.ts'
import { type DropSurface, scrollAlong, scrollBeside, usePointerDrag } from '../pointer-drag.ts'
import { useTaskChange, useTaskMove } from '../writes.ts'
import { dropOf } from './lanes.ts'

interface ShownLane {
  readonly group: ListGroup
  readonly tasks: readonly Task[] | undefined
}

interface HeldCard {
  readonly task: Task
  readonly from: string
  readonly lane: string
}

interface MoveInput {
  readonly frame: HTMLElement | null
  readonly by: string
  readonly lanes: readonly ShownLane[]
  readonly now: number
}

const surface: DropSurface<string> = {
  show(root, { x, y }) {
    const lane = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-lane]') ?? null
    for (const each of root.querySelectorAll<HTMLElement>('[data-drop]')) if (each !== lane) delete each.dataset.drop
    if (lane === null || !root.contains(lane)) return null
    lane.dataset.drop = ''
    return lane.dataset.lane ?? null
  },
  clear(root) {
    for (const each of root.querySelectorAll<HTMLElement>('[data-drop]')) delete each.dataset.drop
  },
  scroll(root, at) {
    scrollAlong(root, at)
    const list = document.elementFromPoint(at.x, at.y)?.closest<HTMLElement>('.by-cards')
    if (list) scrollBeside(list, at)
  },
}

function pickedUp({ key }: Task): string {
  return t('{key} picked up. Left and Right choose a column, Space drops it, Escape cancels.', { key })
}

export function useLaneMoves({ frame, by, lanes, now }: MoveInput) {
  useBoardArrows()
  const change = useTaskChange()
  const move = useTaskMove()
  const [held, setHeld] = useState<HeldCard | null>(null)
  const [announcement, setAnnouncement] = useState('')
  const [dragged, setDragged] = useState<{ readonly id: string; readonly lane: string | undefined } | null>(null)
  const laneOf = (id: string) => lanes.find(({ group }) => group.id === id)?.group
  const drop = (task: Task, from: string, to: string) => {
    const [before, after] = [laneOf(from), laneOf(to)]
    const set = before && after ? dropOf(by, before, after, task, now) : null
    if (set === null || after === undefined) return
    if ('fields' in set) void change.run({ id: task.id, fields: set.fields })
    else void move.run({ id: task.id, ...set, to: after.name, was: task })
  }
  usePointerDrag<string>(frame, true, surface, {
    onStart: (id) => {
      setHeld(null)
      const card = document.querySelector(`[data-dragged][data-card="${id}"]`)
      setDragged({ id, lane: card?.closest<HTMLElement>('[data-lane]')?.dataset.lane })
    },
    onEnd: () => setDragged(null),
    onDrop: (id, lane) => {
      const from = dragged?.lane ?? lanes.find(({ tasks }) => tasks?.some((task) => task.id === id))?.group.id
      const task = lanes.flatMap(({ tasks }) => tasks ?? []).find((each) => each.id === id)
      if (task !== undefined && from !== undefined) drop(task, from, lane)
    },
  })
  const carry = (card: HeldCard, step: number) => {
    const index = lanes.findIndex(({ group }) => group.id === card.lane) + step
    const lane = lanes[Math.max(0, Math.min(lanes.length - 1, index))]
    if (lane === undefined) return
    setHeld({ ...card, lane: lane.group.id })
    setAnnouncement(lane.group.name)
  }
  const onHeldKey = (card: HeldCard, key: string) => {
    if (key === 'ArrowLeft' || key === 'ArrowRight') return carry(card, key === 'ArrowLeft' ? -1 : 1)
    if (key !== ' ' && key !== 'Enter' && key !== 'Escape' && key !== 'Tab') return
    setHeld(null)
    if (key === ' ' || key === 'Enter') drop(card.task, card.from, card.lane)
    else setAnnouncement(t('{key} stays.', { key: card.task.key }))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const card = (event.target as HTMLElement).closest('a')?.closest<HTMLElement>('[data-card]')
    if (event.metaKey || event.ctrlKey || event.altKey || !card) return
    if (held !== null) {
      if (event.key !== 'Tab') event.preventDefault()
      return onHeldKey(held, event.key)
    }
    const lane = card.closest<HTMLElement>('[data-lane]')?.dataset.lane
    const task = lanes.find(({ group }) => group.id === lane)?.tasks?.find(({ id }) => id === card.dataset.card)
    if (event.key === ' ' && task !== undefined && lane !== undefined) {
      event.preventDefault()
      setHeld({ task, from: lane, lane })
      setAnnouncement(pickedUp(task))
    } else if (focusBeside(card, event.key)) event.preventDefault()
  }
  const moved = useKeptFocus(frame, held)
  const pinned = new Set([held?.task.id, dragged?.id, moved].filter((id) => typeof id === 'string'))
  return { held, pinned, announcement, onKeyDown, release: () => setHeld(null), shown: shownWith(held) }
}

/** A card in another lane is a new element, which takes the focus over. Returns the task of the card that was moved last. */
function useKeptFocus(frame: HTMLElement | null, held: HeldCard | null): string | null {
  const moved = useRef<string | null>(null)
  if (held !== null) moved.current = held.task.id
  useEffect(() => {
    if (moved.current === null || (document.activeElement !== document.body && held === null)) return
    const lane = held === null ? '' : `[data-lane="${CSS.escape(held.lane)}"] `
    frame?.querySelector<HTMLElement>(`${lane}[data-card="${moved.current}"] a`)?.focus()
  })
  useEffect(() => {
    if (frame === null) return
    const forget = () => {
      moved.current = null
    }
    frame.addEventListener('pointerdown', forget)
    return () => frame.removeEventListener('pointerdown', forget)
  }, [frame])
  return moved.current
}

/** A carried card stands first in its lane, also while the others of the lane are still read. */
function shownWith(held: HeldCard | null) {
  return ({ id }: ListGroup, tasks: readonly Task[] | undefined) => {
    if (held === null || (tasks === undefined && id !== held.lane)) return tasks
    const others = (tasks ?? []).filter((task) => (id !== held.from && id !== held.lane) || task.id !== held.task.id)
    return id === held.lane ? [held.task, ...others] : others
  }
}

/** Up and Down walk a lane, Left and Right go to the same place of the next lane with cards. */
function focusBeside(card: HTMLElement, key: string): boolean {
  const lane = card.closest<HTMLElement>('[data-lane]')
  const cards = [...(lane?.querySelectorAll<HTMLElement>('[data-card]') ?? [])]
  const index = cards.indexOf(card)
  if (key === 'ArrowDown' || key === 'ArrowUp') return focus(cards[index + (key === 'ArrowDown' ? 1 : -1)])
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return false
  const lanes = [...document.querySelectorAll<HTMLElement>('[data-lane]')].filter((each) =>
    each.querySelector('[data-card]'),
  )
  const beside = lanes[lane === null ? -1 : lanes.indexOf(lane) + (key === 'ArrowRight' ? 1 : -1)]
  const others = beside?.querySelectorAll<HTMLElement>('[data-card]')
  return focus(others?.[Math.min(index, others.length - 1)])
}

function focus(card: HTMLElement | undefined): boolean {
  card?.querySelector('a')?.focus()
  return card !== undefined
}
