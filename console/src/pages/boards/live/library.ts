/** The library of shapes, which is kept in this browser. */
import type { LibraryItems } from '@excalidraw/excalidraw/types'

const storage_key = 'atrium.board-library'

export function readLibrary(): LibraryItems {
  try {
    return JSON.parse(localStorage.getItem(storage_key) ?? '[]') as LibraryItems
  } catch {
    return []
  }
}

export function keepLibrary(items: LibraryItems): void {
  try {
    localStorage.setItem(storage_key, JSON.stringify(items))
  } catch {
    // Without storage the library lasts until the page is closed.
  }
}
