/** Puts tasks on the canvas: as new elements, or as the links of notes that have become tasks. */
import { CaptureUpdateAction, convertToExcalidrawElements } from '@excalidraw/excalidraw'
import type { ExcalidrawElement } from '@excalidraw/excalidraw/element/types'
import type { ExcalidrawImperativeAPI } from '@excalidraw/excalidraw/types'
import type { DragEvent } from 'react'
import type { Note } from './tasks-panel.tsx'

export const task_type = 'application/x-atrium-task'

const card_width = 220
const card_height = 96

/** The task as far as a card needs it before it is read. */
export interface PlacedTask {
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
    link: (notes, tasks) =>
      setLinks(
        api,
        new Map(notes.map(({ element }, i) => [element, tasks[i] === undefined ? null : pathOf(tasks[i])])),
      ),
    unlink: (notes) => setLinks(api, new Map(notes.map(({ element }) => [element, null]))),
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
  const look = { backgroundColor: '#ffffff', fillStyle: 'solid', roughness: 0, link: pathOf(task) } as const
  const size = { width: card_width, height: card_height }
  const made = convertToExcalidrawElements([
    { type: 'rectangle', x: x - card_width / 2, y: y - card_height / 2, ...size, ...look },
  ])
  api.updateScene({
    elements: [...api.getSceneElementsIncludingDeleted(), ...made],
    captureUpdate: CaptureUpdateAction.IMMEDIATELY,
  })
}

function setLinks(api: ExcalidrawImperativeAPI, links: ReadonlyMap<string, string | null>): void {
  const elements = api.getSceneElementsIncludingDeleted().map((element) => {
    const link = links.get(element.id)
    return link === undefined ? element : withLink(element, link)
  })
  api.updateScene({ elements, captureUpdate: CaptureUpdateAction.IMMEDIATELY })
}

function withLink<E extends ExcalidrawElement>(element: E, link: string | null): E {
  const versionNonce = (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) >>> 1
  return { ...element, link, version: element.version + 1, versionNonce, updated: Date.now() }
}
