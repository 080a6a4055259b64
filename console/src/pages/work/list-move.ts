/**
 * Manual order in the list of a project: rows are dragged as cards are on the board, or picked up with Space and carried by
 * the arrow keys, within and across the columns that group the list.
 */
import './board.css'
import type { Column, Project, Task } from '@atrium/sdk'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { byPosition } from '../../app/tasks/reads.ts'
import { type HeldCard, nextPlace, useHeldCard } from './board-keyboard.ts'
import type { LaneTasks } from './board-lanes.ts'
import { type CardPlace, moveTo, withoutCard } from './board-order.ts'
import type { GroupTasks } from './group-reads.ts'
import type { ListGroup } from './list-groups.ts'
import { type DropSurface, scrollBeside, usePointerDrag } from './pointer-drag.ts'
import { useTaskMove } from './writes.ts'

/** The groups of a list by column as lanes, each with the read tasks that are in it now. */
export function lanesOf(
  groups: readonly ListGroup[],
  read: ReadonlyMap<string, GroupTasks>,
  columns: readonly Column[],
): readonly LaneTasks[] {
  const known = new Map([...read.values()].flatMap(({ tasks }) => tasks.map((task) => [task.id, task])))
  const all = [...known.values()]
  return groups.map((group) => {
    const column = columns.find(({ id }) => id === group.value)
    const tasks = all.filter(group.has).toSorted(byPosition)
    const isCut = read.get(group.id)?.isCut ?? true
    return {
      lane: {
        ...{ id: group.id, name: group.name, column: column?.id ?? null },
        ...{ status: column?.status ?? null, color: column?.color ?? null },
      },
      tasks,
      gap: isCut ? tasks.length : null,
      ...{ count: group.count, error: null, isReading: false, hidesDone: null },
    }
  })
}

interface ListMoveInput {
  /** The element that contains the list; null if nothing can be moved. */
  readonly frame: HTMLElement | null
  readonly project: Project | null
  readonly lanes: readonly LaneTasks[]
  /** The place between two rows, by the index of the lower one. */
  readonly placeOf: (index: number, task: string) => CardPlace | null
}

export function useListMove({ frame, project, lanes, placeOf }: ListMoveInput) {
  const isEnabled = project !== null && project.status !== 'archived'
  const move = useTaskMove()
  const onMove = (task: Task, place: CardPlace) => {
    const planned = project === null ? null : moveTo(project, lanes, task, place)
    if (planned !== null) void move.run(planned)
  }
  const [dragged, setDragged] = useState<string | null>(null)
  const find = (id: string) => lanes.flatMap(({ tasks = [] }) => tasks).find((task) => task.id === id)
  usePointerDrag(frame, isEnabled, row_surface, {
    onStart: setDragged,
    onEnd: () => setDragged(null),
    onDrop: (id, index) => {
      const [task, place] = [find(id), placeOf(index, id)]
      if (task !== undefined && place !== null) onMove(task, place)
    },
  })
  const { held, announcement, pickUp, release, onHeldKey } = useHeldCard({ lanes, onMove, next: nextRow })
  const focused = useRef<string | null>(null)
  // A row in another group is a new element, so the focus has to be set again.
  useEffect(() => {
    const id = held?.task.id ?? focused.current
    if (id === null || (held === null && document.activeElement !== document.body)) return
    const link = frame?.querySelector<HTMLElement>(`[data-card="${id}"] [data-row-focus]`)
    if (link !== document.activeElement) link?.focus({ preventScroll: held !== null })
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const card = (event.target as HTMLElement).closest('a')?.closest<HTMLElement>('[data-card]')
    if (!isEnabled || !card || event.metaKey || event.ctrlKey || event.altKey) return
    if (held !== null) {
      event.stopPropagation()
      if (onHeldKey(event.key, held)) event.preventDefault()
      return
    }
    const task = find(card.dataset.card ?? '')
    if (event.key !== ' ' || task === undefined) return
    event.preventDefault()
    focused.current = task.id
    pickUp(task)
  }
  /** The pointer takes over. */
  const onPointerDown = () => {
    focused.current = null
    release()
  }
  return { held, dragged, announcement, isEnabled, onKeyDown, onPointerDown }
}

/** Up and down lead on into the neighbouring group. */
function nextRow(lanes: readonly LaneTasks[], card: HeldCard, key: string): CardPlace | null {
  const within = nextPlace(lanes, card, key)
  const by = key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : 0
  if (within !== null || by === 0) return within
  const next = lanes[lanes.findIndex(({ lane }) => lane.id === card.lane) + by]
  if (next === undefined) return null
  return { lane: next.lane.id, index: by === 1 ? 0 : withoutCard(next, card.task.id).others.length }
}

/** One list of rows of equal height. A place is the number of rows above it. */
const row_surface: DropSurface<number> = {
  show(root, { y }) {
    const list = root.querySelector('.task-list')?.getBoundingClientRect()
    const rows = root.querySelector<HTMLElement>('.task-rows')
    const height = rows?.querySelector('.task-row')?.getBoundingClientRect().height ?? 0
    if (list === undefined || rows === null || height === 0) return null
    const { top } = rows.getBoundingClientRect()
    // The first row is the head of a group.
    const index = Math.max(1, Math.min(Math.round(rows.offsetHeight / height), Math.round((y - top) / height)))
    showLine(list, top + index * height)
    return index
  },
  clear() {
    line?.remove()
    line = null
  },
  scroll(root, at) {
    const list = root.querySelector<HTMLElement>('.task-list')
    if (list !== null) scrollBeside(list, at)
  },
}

/** The line at the place. */
let line: HTMLElement | null = null
const line_inset_px = 8

function showLine(list: DOMRect, edge: number): void {
  if (line === null) {
    line = document.createElement('div')
    line.className = 'board-line'
    document.body.append(line)
  }
  Object.assign(line.style, {
    left: `${list.left + line_inset_px}px`,
    width: `${list.width - 2 * line_inset_px}px`,
    top: `${Math.max(list.top, Math.min(list.bottom - 2, edge - 1))}px`,
  })
}
