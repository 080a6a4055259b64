/** Opens the dialog for a new task from any page. The dialog itself is mounted by everywhere.tsx. */
import { createStore, useStore } from '../../lib/store.ts'

/** What the dialog proposes. */
export interface NewTask {
  readonly workspace?: string
  readonly project?: string | null
  readonly due_at?: number
}

/** `null` while the dialog is closed. */
const newTaskDialog = createStore<NewTask | null>(null)

export function openNewTask(proposal: NewTask = {}): void {
  newTaskDialog.set(proposal)
}

export function closeNewTask(): void {
  newTaskDialog.set(null)
}

export function useNewTaskDialog(): NewTask | null {
  return useStore(newTaskDialog)
}
