/**
 * Deletes tasks with Undo. The server cannot restore a deleted task, so the task is hidden at once and deleted when the
 * time for Undo is over, or when the page is closed.
 */
import type { Task } from '@atrium/sdk'
import { useCallback } from 'react'
import { toast } from '../../app/toasts.ts'
import { remove, useWrite } from '../../data/index.ts'
import { t } from '../../language/index.ts'
import { createStore, useStore } from '../../lib/store.ts'

/** A little longer than the toast with Undo is shown. */
const undo_ms = 9500

const hiddenTasks = createStore<ReadonlySet<string>>(new Set())
/** Deletions that can be undone, by task. */
const pending = new Map<string, () => Promise<unknown>>()

function unhide(id: string): void {
  hiddenTasks.set(new Set([...hiddenTasks.get()].filter((each) => each !== id)))
}

function carryOut(id: string): void {
  const deletion = pending.get(id)
  pending.delete(id)
  void deletion?.()
}

addEventListener('pagehide', () => {
  for (const id of [...pending.keys()]) carryOut(id)
})

/** The IDs of tasks that are deleted or about to be. */
export function useHiddenTasks(): ReadonlySet<string> {
  return useStore(hiddenTasks)
}

type DeletedTask = Pick<Task, 'id' | 'key' | 'subtask_count'>

export function useTaskDeletion(): (task: DeletedTask) => void {
  const { run } = useWrite({
    write: async (atrium, id: string) => {
      try {
        return await atrium.tasks.delete(id)
      } catch (error) {
        unhide(id)
        throw error
      }
    },
    changes: (id) => [remove('task', id)],
  })
  return useCallback(
    ({ id, key, subtask_count }) => {
      hiddenTasks.set(new Set([...hiddenTasks.get(), id]))
      pending.set(id, () => run(id))
      const timer = setTimeout(() => carryOut(id), undo_ms)
      toast({
        text: t('{key} deleted', { key }),
        ...(subtask_count > 0 && {
          detail: t('Its {subtask_count, plural, one {subtask stays} other {# subtasks stay}}, without a parent.', {
            subtask_count,
          }),
        }),
        tone: 'good',
        undo: () => undoDeletion(id, timer),
      })
    },
    [run],
  )
}

async function undoDeletion(id: string, timer: ReturnType<typeof setTimeout>): Promise<void> {
  if (!pending.delete(id))
    throw new Error(t('The task is already deleted. A deletion can be undone for a few seconds only.'))
  clearTimeout(timer)
  unhide(id)
}
