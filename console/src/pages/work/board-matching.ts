/**
 * Which changed tasks match the filter of a board. Only the server can tell, so changed tasks are asked about together, by their
 * keys. Until the answer a shown card stays and a new one is not shown.
 */
import type { Atrium, Task } from '@atrium/sdk'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useAtrium } from '../../data/index.ts'

/** Changes within this time are asked about together. */
const ask_batch_ms = 200
/** Tasks of one question: their keys are part of the filter, whose length is limited. */
const ask_tasks_max = 25

/** The revisions at which tasks did not match. */
type Misses = ReadonlyMap<string, number>

const no_misses: Misses = new Map()

interface Matching {
  readonly project: string
  readonly isArchived: boolean
  /** Empty: all tasks match. */
  readonly filter: string
  /** Gets each task that was added and matches. */
  readonly onMatch: (task: Task) => void
}

/** `add` takes a task that has changed; `isOut` is true for a task that is known not to match. */
export function useMatching({ project, isArchived, filter, onMatch }: Matching) {
  const atrium = useAtrium()
  const [misses, setMisses] = useState(no_misses)
  const changed = useRef(new Map<string, Task>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const ask = useCallback(async () => {
    timer.current = undefined
    const tasks = [...changed.current.values()].slice(0, ask_tasks_max)
    for (const { id } of tasks) changed.current.delete(id)
    if (changed.current.size > 0) timer.current = setTimeout(() => void ask(), ask_batch_ms)
    const found = await matchesAmong(atrium, { project, isArchived, filter }, tasks)
    // Without an answer the cards stay as they are; after an interruption the board is read again.
    if (found === null) return
    setMisses((was) => withAnswers(was, tasks, found))
    for (const task of found) onMatch(task)
  }, [atrium, project, isArchived, filter, onMatch])
  // biome-ignore lint/correctness/useExhaustiveDependencies: answers belong to the filter of their question
  useEffect(() => {
    setMisses(no_misses)
    return () => {
      clearTimeout(timer.current)
      timer.current = undefined
      changed.current.clear()
    }
  }, [ask])
  const add = useCallback(
    (task: Task) => {
      if (filter === '') return onMatch(task)
      changed.current.set(task.id, task)
      timer.current ??= setTimeout(() => void ask(), ask_batch_ms)
    },
    [ask, filter, onMatch],
  )
  const isOut = ({ id, revision }: Task) => revision <= (misses.get(id) ?? 0)
  return { add, isOut }
}

async function matchesAmong(
  atrium: Atrium,
  { project, isArchived, filter }: Omit<Matching, 'onMatch'>,
  tasks: readonly Task[],
): Promise<readonly Task[] | null> {
  try {
    const keys = tasks.map(({ key }) => key).join(', ')
    const asked = { filter: `key IN (${keys}) AND (${filter})`, project, is_archived: isArchived }
    return (await atrium.tasks.list({ ...asked, limit: ask_tasks_max })).data
  } catch {
    return null
  }
}

function withAnswers(was: Misses, asked: readonly Task[], found: readonly Task[]): Misses {
  const matching = new Set(found.map(({ id }) => id))
  const misses = new Map(was)
  for (const { id, revision } of asked) {
    if (matching.has(id)) misses.delete(id)
    else misses.set(id, revision)
  }
  return misses
}
