/** Puts tasks on the canvas: as new elements, or as the links of notes that have become tasks. */
import { CaptureUpdateAction, convertToExcalidrawElements } from '@excalidraw/excalidraw'
import type { ExcalidrawElement } from '@excalidraw/excalidraw/element/types'
import type { ExcalidrawImperativeAPI } from '@excalidraw/excalidraw/types'
import type { DragEvent } from 'react'
import { rowsOf } from './rows.ts'
import type { Note } from './tasks-panel.tsx'

const task_type = 'application/x-atrium-task'

const card_width = 220
const card_height = 96
const card_gap = 16
const card_look = {
  width: card_width,
  height: card_height,
  backgroundColor: '#ffffff',
  fillStyle: 'solid',
  roughness: 0,
} as const

/** The task as far as a card needs it before it is read. */
interface PlacedTask {
  readonly id: string
}

export interface Placing {
  /** Places a task in the middle of what the person sees. */
  readonly place: (task: PlacedTask) => void
  readonly link: (notes: readonly Note[], tasks: readonly PlacedTask[]) => void
  readonly unlink: (notes: readonly Note[]) => void
}

export function placingOn(api: ExcalidrawImperativeAPI): Placing {
  return {
    place(task) {
      const { scrollX, scrollY, width, height, zoom } = api.getAppState()
      addCard(api, task, { x: width / zoom.value / 2 - scrollX, y: height / zoom.value / 2 - scrollY })
    },
    link: (notes, tasks) => linkNotes(api, notes, tasks),
    unlink: (notes) => unlinkNotes(api, notes),
  }
}

export function holdsTask({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes(task_type)
}

/** Places the task that was dropped. */
export function dropTask(api: ExcalidrawImperativeAPI, event: DragEvent<HTMLElement>): void {
  if (!holdsTask(event)) return
  event.preventDefault()
  event.stopPropagation()
  const task = JSON.parse(event.dataTransfer.getData(task_type)) as PlacedTask
  addCard(api, task, placeOf(api, event.currentTarget, event))
}

/** The place on the canvas of a pointer event. */
export function placeOf(
  api: ExcalidrawImperativeAPI,
  surface: HTMLElement,
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number },
): { readonly x: number; readonly y: number } {
  const { scrollX, scrollY, zoom } = api.getAppState()
  const { left, top } = surface.getBoundingClientRect()
  return { x: (clientX - left) / zoom.value - scrollX, y: (clientY - top) / zoom.value - scrollY }
}

function pathOf({ id }: PlacedTask): string {
  return `/work/tasks/${id}`
}

function addCard(api: ExcalidrawImperativeAPI, task: PlacedTask, { x, y }: { readonly x: number; readonly y: number }) {
  const made = convertToExcalidrawElements([
    { type: 'rectangle', x: x - card_width / 2, y: y - card_height / 2, ...card_look, link: pathOf(task) },
  ])
  api.updateScene({
    elements: [...api.getSceneElementsIncludingDeleted(), ...made],
    captureUpdate: CaptureUpdateAction.IMMEDIATELY,
  })
}

/** Shapes become cards as they are. A plain text has no room for a card, so that a card takes its place. */
function linkNotes(api: ExcalidrawImperativeAPI, notes: readonly Note[], tasks: readonly PlacedTask[]): void {
  const links = new Map(notes.flatMap(({ element }, i) => (tasks[i] ? [[element, pathOf(tasks[i])] as const] : [])))
  const elements = api.getSceneElementsIncludingDeleted()
  const texts = elements.filter((element) => element.type === 'text' && links.has(element.id))
  const cards = texts.length === 0 ? [] : cardsFor(texts, links, elements)
  const made = new Set(cards.map(({ id }) => id))
  const rest = elements
    .filter(({ id }) => !made.has(id))
    .map((element) => {
      const link = links.get(element.id)
      if (link === undefined) return element
      return withFields(element, element.type === 'text' ? { isDeleted: true } : { link })
    })
  updateOutsideHistory(api, [...rest, ...cards])
  linked_versions.set(api, versionOf(api))
}

/** The state of the canvas right after notes became tasks. */
const linked_versions = new WeakMap<ExcalidrawImperativeAPI, number>()

/** Whether nothing has changed on the canvas since notes became tasks. */
export function isJustLinked(api: ExcalidrawImperativeAPI): boolean {
  return linked_versions.get(api) === versionOf(api)
}

function versionOf(api: ExcalidrawImperativeAPI): number {
  return api.getSceneElementsIncludingDeleted().reduce((sum, { version }) => sum + version, 0)
}

/**
 * Excalidraw's undo cannot take back tasks, so it may not take back their cards either: it ends at this change, which the toast
 * undoes as a whole.
 */
function updateOutsideHistory(api: ExcalidrawImperativeAPI, elements: readonly ExcalidrawElement[]): void {
  api.updateScene({ elements, captureUpdate: CaptureUpdateAction.NEVER })
  api.history.clear()
}

/** Takes `linkNotes` back. */
function unlinkNotes(api: ExcalidrawImperativeAPI, notes: readonly Note[]): void {
  const linked = new Set(notes.map(({ element }) => element))
  const cards = new Set(notes.map(({ element }) => cardOf(element)))
  const elements = api.getSceneElementsIncludingDeleted().map((element) => {
    if (cards.has(element.id)) return withFields(element, { isDeleted: true })
    if (!linked.has(element.id)) return element
    return withFields(element, element.type === 'text' ? { isDeleted: false } : { link: null })
  })
  updateOutsideHistory(api, elements)
  linked_versions.delete(api)
}

/** The id of the card that takes the place of a text. */
function cardOf(text: string): string {
  return `card-${text}`
}

/** Cards in the rows of their texts, from the left and top of the texts, so that none hides another. */
function cardsFor(
  texts: readonly ExcalidrawElement[],
  links: ReadonlyMap<string, string>,
  elements: readonly ExcalidrawElement[],
): ExcalidrawElement[] {
  const left = Math.min(...texts.map(({ x }) => x))
  const top = Math.min(...texts.map(({ y }) => y))
  const versions = new Map(elements.map(({ id, version }) => [id, version]))
  const skeletons = rowsOf(texts).flatMap((row, down) =>
    row.map(({ id }, across) => ({
      type: 'rectangle' as const,
      id: cardOf(id),
      x: left + across * (card_width + card_gap),
      y: top + down * (card_height + card_gap),
      ...card_look,
      link: links.get(id) ?? null,
    })),
  )
  const cards = convertToExcalidrawElements(skeletons, { regenerateIds: false })
  // A card that was there before an undo has a version that the new one must exceed.
  return cards.map((card) => ({ ...card, version: (versions.get(card.id) ?? 0) + 1 }))
}

function withFields<E extends ExcalidrawElement>(element: E, fields: Partial<ExcalidrawElement>): E {
  const versionNonce = (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) >>> 1
  return { ...element, ...fields, version: element.version + 1, versionNonce, updated: Date.now() }
}
