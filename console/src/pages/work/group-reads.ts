/**
 * What a grouped list reads: the counts of all groups at once, and the first tasks of each group that comes into view. More
 * tasks of a group are read when they are asked for, so a list of any length costs what is seen of it.
 */
import type { AtriumEvent, Task } from '@atrium/sdk'
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { keys, useApp, useAtrium, useEvents, useMode } from '../../data/index.ts'
import { useHiddenTasks } from './deletions.ts'
import { dueBounds, filterBoth, type ListGroup } from './list-groups.ts'

/** Tasks of a group that are read first, with each step, and at most. */
export const rows_first = 50
const rows_step = 150
const rows_max = 1000
const page_limit = 100
/** Events within this time cause one count; longer for lists whose count reads many tasks. */
const count_batch_ms = 1500
const count_batch_long_ms = 15_000
const long_list_tasks = 5000

/** The counts of a list by a property, read again after tasks have changed. `total` is the length of the list. */
export function useGroupCounts(by: string, filter: string, now: number, total: number) {
  const mode = useMode()
  const client = useQueryClient()
  const bounds = by === 'due_at' ? dueBounds(now).join() : undefined
  const { data, error, refetch } = useApp('GET tasks/groups', {
    query: { mode, filter: filter || undefined, by, bounds },
  })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const wait_ms = total > long_list_tasks ? count_batch_long_ms : count_batch_ms
  const onEvent = useCallback(
    ({ type }: AtriumEvent) => {
      if (!type.startsWith('workflow.task.')) return
      timer.current ??= setTimeout(() => {
        timer.current = undefined
        void client.invalidateQueries({ queryKey: keys.appAll('GET tasks/groups') })
      }, wait_ms)
    },
    [client, wait_ms],
  )
  useEvents(onEvent)
  useEffect(() => () => clearTimeout(timer.current), [])
  return { counts: data, error, retry: () => void refetch() }
}

export interface GroupTasks {
  readonly tasks: readonly Task[]
  /** Whether more can be read. */
  readonly isCut: boolean
}

export interface GroupRead {
  /** By group, of those that were read. */
  readonly read: ReadonlyMap<string, GroupTasks>
  readonly hasFailures: boolean
  readonly retry: () => void
  /** Reads more of a group; null if it is read as far as it can be. */
  readonly moreOf: (group: string) => (() => void) | null
}

/** The tasks of groups, in the order of the list. */
export function useGroupTasks(groups: readonly ListGroup[], filter: string, sort: string): GroupRead {
  const mode = useMode()
  const atrium = useAtrium()
  const client = useQueryClient()
  const hidden = useHiddenTasks()
  const [wanted, setWanted] = useState<ReadonlyMap<string, number>>(new Map())
  const rowsOf = (id: string) => wanted.get(id) ?? rows_first
  const keyOf = (text: string, rows: number) => keys.list(mode, 'task', { grouped: text, sort, rows })
  const shown = groups.flatMap((group) =>
    group.filter === null ? [] : [{ id: group.id, text: filterBoth(filter, group.filter), rows: rowsOf(group.id) }],
  )
  const results = useQueries({
    queries: shown.map(({ text, rows }) => ({
      queryKey: keyOf(text, rows),
      queryFn: async (): Promise<readonly Task[]> =>
        await atrium.tasks
          .list({ filter: text, limit: Math.min(page_limit, rows), ...(sort === '' ? {} : { sort }) })
          .toArray({ max: rows }),
      // The rows before stay until more are read.
      placeholderData: () => client.getQueryData<readonly Task[]>(keyOf(text, rows - rows_step)),
    })),
  })
  const read = new Map<string, GroupTasks>()
  for (const [i, { id }] of shown.entries()) {
    const { data, isPlaceholderData } = results[i] ?? {}
    if (data === undefined) continue
    const tasks = hidden.size === 0 ? data : data.filter((task) => !hidden.has(task.id))
    read.set(id, { tasks, isCut: isPlaceholderData === true || data.length >= rowsOf(id) })
  }
  return {
    read,
    hasFailures: results.some(({ isError, data }) => isError && data === undefined),
    retry: () => {
      for (const { isError, refetch } of results) if (isError) void refetch()
    },
    moreOf: (id) =>
      rowsOf(id) >= rows_max ? null : () => setWanted((was) => new Map(was).set(id, rowsOf(id) + rows_step)),
  }
}
