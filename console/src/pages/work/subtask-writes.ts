/** The writes of subtasks: create, attach, detach, reorder. */
import type { Task } from '@atrium/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { describeError, keys, patch, useMode, useWrite } from '../../data/index.ts'
import { t } from '../../language/index.ts'
import type { Place } from './subtask-order.ts'
import { subtasksKey, subtasksKeys } from './subtask-reads.ts'

/** Lines that are created together, the most that a batch takes. */
export const pasted_lines_max = 100
export const title_chars_max = 500

/** Creates subtasks in the order given, all or none. Each stands in the project of its parent, in `column`. */
export function useSubtaskCreation(parent: Task, column: string | null) {
  const client = useQueryClient()
  const mode = useMode()
  return useWrite({
    write: async (atrium, titles: readonly string[]) => {
      const { workspace, project, id } = parent
      // Without a connection the first subtasks would seem to be still read.
      const key = keys.list(mode, 'task', subtasksKey(id))
      if (parent.subtask_count === 0) client.setQueryData<readonly Task[]>(key, (rows) => rows ?? [])
      const fields = titles.map((title) => ({ title, project, column, parent: id }))
      const [first] = fields
      const created =
        fields.length === 1 && first !== undefined
          ? [await atrium.tasks.create({ workspace, ...first })]
          : (await atrium.tasks.batch({ workspace, data: fields })).data
      for (const params of subtasksKeys(id)) {
        client.setQueryData<readonly Task[]>(
          keys.list(mode, 'task', params),
          (rows) => rows && [...rows.filter((row) => !created.some((each) => each.id === row.id)), ...created],
        )
      }
      return created
    },
    changes: (titles, before) => {
      const count = (before<Task>('task', parent.id) ?? parent).subtask_count
      return [patch('task', parent.id, { subtask_count: count + titles.length })]
    },
    done: (created) => (created.length === 1 ? null : t('{count} subtasks created', { count: created.length })),
    undo: (created) => (atrium) =>
      atrium.tasks.bulk({ workspace: parent.workspace, tasks: created.map(({ id }) => id), delete: true }),
    toastErrors: false,
  })
}

interface ParentChange {
  readonly task: Task
  /** The new parent; null detaches the task. */
  readonly parent: Pick<Task, 'id' | 'key'> | null
}

/** Makes a task a subtask of another one, or detaches it. */
export function useParentChange({ toastErrors = false } = {}) {
  return useWrite({
    // The key, because a refusal quotes what was sent.
    write: (atrium, { task, parent }: ParentChange) => atrium.tasks.update(task.id, { parent: parent?.key ?? null }),
    changes: ({ task, parent }) => [patch('task', task.id, { parent: parent?.id ?? null })],
    done: ({ key }, { parent }) =>
      parent === null
        ? t('{key} is no longer a subtask', { key })
        : t('{key} is a subtask of {key2}', { key, key2: parent.key }),
    undo: (_, { task }, before) => {
      const was = before<Task>('task', task.id) ?? task
      return (atrium) => atrium.tasks.update(task.id, { parent: was.parent })
    },
    toastErrors,
  })
}

interface Reorder {
  readonly task: Task
  readonly to: Place
  /** Where the task stood. */
  readonly from: Place | null
}

/** Moves a task beside another one of its column. */
export function useSubtaskOrder() {
  return useWrite({
    write: (atrium, { task, to }: Reorder) => atrium.tasks.move(task.id, { [to.side]: to.task.id }),
    changes: ({ task, to }) => [patch('task', task.id, { position: to.position })],
    done: ({ key }, { to }) =>
      to.side === 'before'
        ? t('{key} moved before {key2}', { key, key2: to.task.key })
        : t('{key} moved after {key2}', { key, key2: to.task.key }),
    undo: (_, { task, from }) =>
      from === null ? null : (atrium) => atrium.tasks.move(task.id, { [from.side]: from.task.id }),
  })
}

/** Why the server refused a parent, in words. */
export function parentRefusal(error: unknown, task: string, parent: string): string {
  const { text } = describeError(error)
  if (/is the task itself/.test(text)) return t('{task} cannot be its own parent.', { task })
  if (/is below the task/.test(text))
    return t('{parent} is below {task}, so it cannot be the parent of {task}.', { parent, task })
  if (/more than \d+ levels/.test(text)) {
    return t('Below {parent} the subtasks would be nested too deep. At most five tasks stand one below the other.', {
      parent,
    })
  }
  if (/is archived/.test(text)) return t('The project of {parent} is archived, so it takes no subtasks.', { parent })
  if (/names no/.test(text))
    return t('{parent} is in another workspace or was deleted. Choose a task of this workspace.', { parent })
  return text
}
