/**
 * The drawing order of a scene that several pages change. Pages that draw at the same time give elements the same index.
 * Excalidraw then gives one of them another index as a new version, on every page by itself, and these versions meet again.
 * So the store keeps equal indices, and each page shows indices that follow from the stored ones alone: all pages show the same
 * order, and none sends a repair. Excalidraw also repairs a list that is not sorted, so a list for it has to be.
 */
import { generateNKeysBetween } from 'fractional-indexing'

export interface OrderedElement {
  readonly id: string
  readonly index: string
}

/** The elements sorted by index, and by id where indices are equal; these get different ones. */
export function inDrawingOrder<E extends OrderedElement>(elements: readonly E[]): E[] {
  const sorted = elements.toSorted(compare)
  const ordered: E[] = []
  for (let first = 0; first < sorted.length; ) {
    const element = sorted[first] as E
    let end = first + 1
    while (sorted[end]?.index === element.index) end++
    ordered.push(element)
    // Between the index that they share and the next one.
    const indices = generateNKeysBetween(element.index, sorted[end]?.index ?? null, end - first - 1)
    for (const [i, index] of indices.entries()) ordered.push({ ...(sorted[first + 1 + i] as E), index })
    first = end
  }
  return ordered
}

function compare(a: OrderedElement, b: OrderedElement): number {
  if (a.index !== b.index) return a.index < b.index ? -1 : 1
  return a.id < b.id ? -1 : 1
}
