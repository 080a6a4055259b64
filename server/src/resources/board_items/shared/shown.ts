import type { BoardRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { readScene } from '../scene/log.ts'

/** Whether the board shows the element at this moment, drawn or not yet published. */
export async function showsElement(reader: Reader, board: BoardRow, element: string): Promise<boolean> {
  const scene = await readScene(reader, { realm: board.realm, board: board.id })
  return scene?.shownElements().some(({ id }) => id === element) ?? false
}
