/** Opens the dialog that makes a task, from anywhere. The dialog itself is mounted on every page. */
import { useSyncExternalStore } from 'react'

export interface NewTask {
  readonly workspace?: string
  readonly project?: string | null
}

let asked: NewTask | null = null
const listeners = new Set<() => void>()

export function newTask(begin: NewTask | null = {}): void {
  asked = begin
  for (const listener of listeners) listener()
}

export function useNewTask(): NewTask | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => asked,
  )
}
