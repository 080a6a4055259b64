/** Arrows that connect the cards of two tasks. */
import type { ExcalidrawElement } from '@excalidraw/excalidraw/element/types'
import type { AppState } from '@excalidraw/excalidraw/types'
import { taskOf } from './task-cards.tsx'

/** Two tasks in the direction of the arrow. */
export interface ConnectedTasks {
  readonly from: string
  readonly to: string
}

/** The tasks that the selected arrow connects; null unless exactly one such arrow is selected. */
export function connectedTasks(
  elements: readonly ExcalidrawElement[],
  { selectedElementIds }: Pick<AppState, 'selectedElementIds'>,
): ConnectedTasks | null {
  const ids = Object.keys(selectedElementIds)
  const arrow = ids.length === 1 ? elements.find(({ id }) => id === ids[0]) : undefined
  if (arrow?.type !== 'arrow' || arrow.isDeleted) return null
  const taskAt = (end: { readonly elementId: string } | null) => {
    const element = elements.find(({ id }) => id === end?.elementId)
    return element === undefined ? null : taskOf(element)
  }
  const [start, end] = [taskAt(arrow.startBinding), taskAt(arrow.endBinding)]
  if (start === null || end === null || start === end) return null
  const isBackwards = arrow.startArrowhead !== null && arrow.endArrowhead === null
  return isBackwards ? { from: end, to: start } : { from: start, to: end }
}
