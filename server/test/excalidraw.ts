/** Builds Excalidraw files and reads them as the import does. */
import type { BoardItemContent } from '../src/resources/board_items/board_item.ts'
import { toItems } from '../src/resources/board_items/excalidraw/items.ts'
import { readDrawing } from '../src/resources/board_items/excalidraw.ts'

export type Fields = Readonly<Record<string, unknown>>

/** A rectangle with its corner at the origin. */
export const box = (id: string, more: Fields = {}) => ({
  id,
  type: 'rectangle',
  ...{ x: 0, y: 0, width: 100, height: 50 },
  ...more,
})

/** An arrow from the origin to the right. */
export const arrow = (id: string, more: Fields = {}) => ({
  id,
  type: 'arrow',
  ...{ x: 0, y: 0, width: 100, height: 0 },
  points: [
    [0, 0],
    [100, 0],
  ],
  ...more,
})

/** The bytes of a file that holds these elements. */
export const file = (elements: readonly unknown[], more: Fields = {}) =>
  Buffer.from(JSON.stringify({ type: 'excalidraw', version: 2, elements, ...more }))

/** The items of a file. An item's id is its element's id with the prefix `itm_`. */
export const read = (bytes: Buffer) => toItems(readDrawing(bytes), (element) => `itm_${element}`)

/** The stored content of the last of these elements. */
export const contentOf = (...elements: readonly unknown[]): BoardItemContent =>
  read(file(elements)).at(-1)?.content as BoardItemContent
