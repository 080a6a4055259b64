/**
 * Deleting a task cannot be taken back at the server. So it is hidden at once and deleted when the time for Undo is over,
 * or when the page is left.
 */
import { useCallback, useSyncExternalStore } from 'react'
import { toast } from '../../app/toasts.ts'
import { useAtrium } from '../../data/index.ts'

/** As long as its toast is shown, and a moment more. */
const undo_ms = 9500

interface Deletion {
  readonly id: string
  readonly run: () => Promise<unknown>
}

let hidden: ReadonlySet<string> = new Set()
const waiting = new Map<string, Deletion>()
const listeners = new Set<() => void>()

function set(next: ReadonlySet<string>): void {
  hidden = next
  for (const listener of listeners) listener()
}

function show(id: string): void {
  set(new Set([...hidden].filter((each) => each !== id)))
}

function carryOut(id: string): void {
  const deletion = waiting.get(id)
  if (!waiting.delete(id) || deletion === undefined) return
  deletion.run().catch((error: unknown) => {
    show(id)
    toast({ error })
  })
}

addEventListener('pagehide', () => {
  for (const id of [...waiting.keys()]) carryOut(id)
})

/** Ids of tasks that are to be shown no more. */
export function useHidden(): ReadonlySet<string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => hidden,
  )
}

export function useTaskDeletion(): (task: { readonly id: string; readonly key: string }) => void {
  const atrium = useAtrium()
  return useCallback(
    ({ id, key }) => {
      set(new Set([...hidden, id]))
      waiting.set(id, { id, run: async () => await atrium.tasks.delete(id) })
      const timer = setTimeout(() => carryOut(id), undo_ms)
      toast({ text: `${key} deleted`, tone: 'good', undo: () => takeBack(id, timer) })
    },
    [atrium],
  )
}

async function takeBack(id: string, timer: ReturnType<typeof setTimeout>): Promise<void> {
  if (!waiting.delete(id)) throw new Error('It is deleted already: there was too much time in between.')
  clearTimeout(timer)
  show(id)
}
