/** The panel of a task, which Work provides, for the pages of other areas that show a task beside their list. */
import type { ComponentType } from 'react'
import { createStore, useStore } from '../lib/store.ts'

export interface TaskPanelProps {
  /** An id or a key. */
  readonly id: string
  readonly onClose: () => void
}

const provided = createStore<ComponentType<TaskPanelProps> | null>(null)

/** Called once, when the parts of Work on every page are loaded. */
export function provideTaskPanel(panel: ComponentType<TaskPanelProps>): void {
  provided.set(panel)
}

/** Null until it is provided. */
export function useTaskPanel(): ComponentType<TaskPanelProps> | null {
  return useStore(provided)
}
