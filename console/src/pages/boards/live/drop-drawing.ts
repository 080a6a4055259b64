/**
 * Drawings that are dropped on the canvas are added to it. Excalidraw by itself would replace the scene of this page by the
 * file, while everyone else keeps theirs.
 */
import { CaptureUpdateAction, getCommonBounds, loadFromBlob } from '@excalidraw/excalidraw'
import type { ExcalidrawElement } from '@excalidraw/excalidraw/element/types'
import type { ExcalidrawImperativeAPI } from '@excalidraw/excalidraw/types'
import type { DragEvent } from 'react'
import { placeOf } from './placing.ts'

interface Point {
  readonly x: number
  readonly y: number
}

/** Events of files that are no drawings: Excalidraw takes them, for an image or for shapes of its library. */
const left_to_excalidraw = new WeakSet<Event>()

/** Files that may hold a drawing: its own format, and pictures that were exported with it. */
const drawing_file = /\.(?:excalidraw|json|png|svg)$/i

export function dropDrawing(api: ExcalidrawImperativeAPI, event: DragEvent<HTMLElement>): void {
  const { nativeEvent, target, currentTarget, clientX, clientY } = event
  const file = event.dataTransfer.files[0]
  if (file === undefined || !drawing_file.test(file.name) || left_to_excalidraw.has(nativeEvent)) return
  event.preventDefault()
  event.stopPropagation()
  const place = placeOf(api, currentTarget, event)
  loadFromBlob(file, null, null).then(
    ({ elements, files }) => {
      api.addFiles(Object.values(files))
      addElements(api, elements, place)
    },
    () => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(file)
      const again = new globalThis.DragEvent('drop', {
        ...{ clientX, clientY, dataTransfer },
        ...{ bubbles: true, cancelable: true },
      })
      left_to_excalidraw.add(again)
      target.dispatchEvent(again)
    },
  )
}

/** Adds a drawing with its middle at a place, selected, as one step of the history. */
function addElements(api: ExcalidrawImperativeAPI, drawn: readonly ExcalidrawElement[], { x, y }: Point): void {
  const shown = drawn.filter(({ isDeleted }) => !isDeleted)
  if (shown.length === 0) return
  const [left, top, right, bottom] = getCommonBounds(shown)
  const by = { x: x - (left + right) / 2, y: y - (top + bottom) / 2 }
  const added = copiesOf(shown).map((element) => ({ ...element, x: element.x + by.x, y: element.y + by.y }))
  const selectedElementIds = Object.fromEntries(added.map(({ id }) => [id, true as const]))
  api.updateScene({
    elements: [...api.getSceneElementsIncludingDeleted(), ...added],
    appState: { ...api.getAppState(), selectedElementIds },
    captureUpdate: CaptureUpdateAction.IMMEDIATELY,
  })
}

/** The elements under new ids, so that the same drawing can be dropped twice. What leads out of the drawing ends. */
function copiesOf(elements: readonly ExcalidrawElement[]): ExcalidrawElement[] {
  const ids = new Map(elements.map(({ id }) => [id, crypto.randomUUID()]))
  const groups = new Map<string, string>()
  const groupOf = (group: string) => {
    const known = groups.get(group) ?? crypto.randomUUID()
    groups.set(group, known)
    return known
  }
  const bindingOf = <B extends { readonly elementId: string }>(binding: B | null | undefined): B | null => {
    const elementId = ids.get(binding?.elementId ?? '')
    return binding == null || elementId === undefined ? null : { ...binding, elementId }
  }
  return elements.map((element) => {
    const bound = (element.boundElements ?? []).flatMap((each) => {
      const id = ids.get(each.id)
      return id === undefined ? [] : [{ ...each, id }]
    })
    return {
      ...element,
      id: ids.get(element.id) ?? element.id,
      // The canvas gives them their place in front of what is there.
      index: null,
      groupIds: element.groupIds.map(groupOf),
      frameId: ids.get(element.frameId ?? '') ?? null,
      boundElements: bound,
      ...('containerId' in element ? { containerId: ids.get(element.containerId ?? '') ?? null } : {}),
      ...('startBinding' in element
        ? { startBinding: bindingOf(element.startBinding), endBinding: bindingOf(element.endBinding) }
        : {}),
    } as ExcalidrawElement
  })
}
