/**
 * The bulk changes of the selected tasks as the page runs them: shown at once where one portion is enough, else with
 * progress, stoppable between portions, and undone as a whole by one toast.
 */
import { ApiError, type Project, type Task } from '@atrium/sdk'
import { useRef, useState } from 'react'
import { describeError, patch, remove, UserCanceled, useWrite } from '../../data/index.ts'
import { t, textLanguage } from '../../language/index.ts'
import {
  type BulkChange,
  type BulkResult,
  type BulkSet,
  bulk_tasks_max,
  portionsOf,
  undoBulk,
  writeBulk,
} from './bulk-writes.ts'
import { parentRefusal } from './subtask-writes.ts'

export interface Bulk {
  readonly change: BulkChange
  /** The change in words: "assigned to Ada". */
  readonly text: string
}

export interface BulkProgress {
  readonly done: number
  readonly total: number
}

export function countTasks(count: number): string {
  return t('{count, plural, one {# task} other {# tasks}}', { count })
}

/** The selected tasks as the latest job has left them: the selection keeps those of the moment of choice. */
function useCurrent(tasks: readonly Task[]) {
  const [latest, setLatest] = useState<ReadonlyMap<string, Task>>(new Map())
  const current = tasks.map((task) => latest.get(task.id) ?? task)
  const selected = useRef(current)
  selected.current = current
  const keep = (after: readonly Task[]) =>
    setLatest((was) => new Map([...was, ...after.map((task) => [task.id, task] as const)]))
  return { selected, keep, forget: () => setLatest(new Map()) }
}

function useBulkWrite({ selected, forget }: ReturnType<typeof useCurrent>) {
  const [progress, setProgress] = useState<BulkProgress | null>(null)
  const isStopped = useRef(false)
  const write = useWrite({
    write: async (atrium, { change }: Bulk, kept): Promise<BulkResult> => {
      isStopped.current = false
      const all = selected.current
      const hasPortions = portionsOf(all).length > 1
      const onProgress = (done: number) => setProgress({ done, total: all.length })
      if (hasPortions) onProgress(0)
      const result = await writeBulk(atrium, all, change, {
        kept,
        ...(hasPortions && { onProgress }),
        isStopped: () => isStopped.current,
      })
      if (result.before.length === 0 && result.error !== null) throw result.error
      return result
    },
    changes: ({ change }) => shownChanges(selected.current, change),
    invalidates: ['task', 'dependency'],
    done: ({ before }, { text }) => {
      const [only, ...others] = selected.current
      if (only !== undefined && others.length === 0) return `${only.key} ${text}`
      const total = selected.current.length
      const part =
        before.length < total ? t('{count} of ', { count: before.length.toLocaleString(textLanguage()) }) : ''
      return `${part}${countTasks(total)} ${text}`
    },
    undo: (result, { change }) =>
      'delete' in change ? null : (atrium) => undoBulk(atrium, result, change).finally(forget),
    toastErrors: false,
  })
  const stop = () => {
    isStopped.current = true
  }
  return { ...write, progress, stop, endProgress: () => setProgress(null) }
}

/** Runs bulk changes of `tasks`. After the deletion of all `onDeleted` is called. */
export function useBulkJob(tasks: readonly Task[], onDeleted: () => void) {
  const now = useCurrent(tasks)
  const { selected } = now
  const [fault, setFault] = useState<string | null>(null)
  const write = useBulkWrite(now)
  // One after the other, so that each finds the tasks as the one before left them.
  const last = useRef<Promise<unknown>>(Promise.resolve())
  const start = async (bulk: Bulk) => {
    setFault(null)
    const isDeletion = 'delete' in bulk.change
    const result = await write.run(bulk, () => isDeletion && onDeleted())
    write.endProgress()
    if (result === undefined) return
    setFault(faultOf(result, selected.current))
    if (isDeletion && result.before.length === selected.current.length) onDeleted()
    else now.keep(result.after)
  }
  const refusal =
    write.error === null
      ? null
      : t('Nothing was changed. {refusal}', { refusal: refusalOf(write.error, selected.current, 0) })
  return {
    current: selected.current,
    run: (bulk: Bulk) => {
      last.current = last.current.then(() => start(bulk))
    },
    busy: write.busy,
    progress: write.progress,
    fault: refusal ?? fault,
    stop: write.stop,
  }
}

/** What is shown before the server answers. Long jobs show their progress instead. */
function shownChanges(tasks: readonly Task[], change: BulkChange) {
  if (tasks.length > bulk_tasks_max) return []
  if ('delete' in change) return tasks.map(({ id }) => remove('task', id))
  // The parent may have been sent by its key.
  const { parent, ...set } = change.set ?? {}
  const { add_labels = [], remove_labels = [] } = change
  return tasks.map(({ id, labels, custom_fields }) => {
    const kept = labels.filter((label) => !remove_labels.includes(label))
    const added = add_labels.filter((label) => !kept.includes(label))
    const all = Object.entries({ ...custom_fields, ...set.custom_fields }).filter(([, value]) => value !== null)
    const shown = { ...set, ...(set.custom_fields && { custom_fields: Object.fromEntries(all) }) }
    return patch('task', id, { labels: [...kept, ...added], ...shown })
  })
}

/** What a job left undone. Portions are written whole or not at all. */
function faultOf({ before, error, isStopped }: BulkResult, tasks: readonly Task[]): string | null {
  const left = tasks.length - before.length
  if (isStopped)
    return t('Stopped. {countTasks} of the following portions {left, plural, one {is} other {are}} unchanged.', {
      countTasks: countTasks(left),
      left,
    })
  if (error === null || error instanceof UserCanceled) return null
  return t('{countTasks} changed. The next portion was refused as a whole, {countTasks2} unchanged. {refusal}', {
    countTasks: countTasks(before.length),
    countTasks2: countTasks(left),
    refusal: refusalOf(error, tasks, before.length),
  })
}

/** Why a portion was refused, with keys in place of ids. `from`: the index of its first task. */
function refusalOf(error: unknown, tasks: readonly Task[], from: number): string {
  const { text } = describeError(error)
  if (!(error instanceof ApiError)) return text
  const at = /^tasks\[(\d+)\]$/.exec(error.param ?? '')
  const order = portionsOf(tasks).flat()
  const key = at === null ? undefined : order[from + Number(at[1])]?.key
  if (key === undefined) {
    const parent = /^set\.parent "([^"]+)"|parent "([^"]+)"/.exec(text)
    const named = parent?.[1] ?? parent?.[2]
    return named === undefined ? text : parentRefusal(error, t('a selected task'), named)
  }
  if (error.code === 'resource_conflict')
    return t('The project of {key} is archived. Take it out of the selection.', { key })
  return t('{key} was deleted meanwhile. Take it out of the selection.', { key })
}

/** The fields that differ between two selections of labels: what a toggle adds or removes. */
export function labelChange(before: readonly string[], after: readonly string[]): Bulk | null {
  const add_labels = after.filter((label) => !before.includes(label))
  const remove_labels = before.filter((label) => !after.includes(label))
  if (add_labels.length > 0)
    return { change: { add_labels }, text: t('labeled {add_labels}', { add_labels: add_labels.join(', ') }) }
  if (remove_labels.length > 0)
    return {
      change: { remove_labels },
      text: t('no longer labeled {remove_labels}', { remove_labels: remove_labels.join(', ') }),
    }
  return null
}

export function setBulk(set: BulkSet, text: string): Bulk {
  return { change: { set }, text }
}

/** The change of `count` tasks to another parent, or to none. */
export function parentBulk(parent: Pick<Task, 'key'> | null, count: number): Bulk {
  const text =
    parent === null
      ? t('{count, plural, one {detached from its parent} other {detached from their parents}}', { count })
      : t('{count, plural, one {made a subtask of {key}} other {made subtasks of {key}}}', { count, key: parent.key })
  return setBulk({ parent: parent?.key ?? null }, text)
}

/** The move of `count` tasks to another project, or out of theirs. */
export function projectBulk(project: Pick<Project, 'id' | 'name'> | undefined, count: number): Bulk {
  const text =
    project === undefined
      ? t('{count, plural, one {moved out of its project} other {moved out of their projects}}', { count })
      : t('moved to {name}', { name: project.name })
  return setBulk({ project: project?.id ?? null, column: null }, text)
}
