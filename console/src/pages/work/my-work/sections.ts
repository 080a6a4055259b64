/** The sections of My work: which of a person's open tasks each of them holds. Pure. */
import type { Task } from '@atrium/sdk'
import { t } from '../../../language/index.ts'
import { dueBounds } from '../list-groups.ts'
import type { ShownRow } from '../task-tree.ts'

export interface Section {
  readonly id: string
  readonly name: string
  readonly tasks: readonly Task[]
}

interface Dependencies {
  /** Open tasks that wait for one. */
  readonly blocks: (id: string) => boolean
  /** Whether one waits for an open task. */
  readonly isBlocked: (id: string) => boolean
}

/**
 * Each task stands in the first section that it fits, so the counts add up to the number of tasks, and a reader who walks or selects
 * rows meets no task twice. What is due by today comes first, because a reader acts on it in any case; the marks of its row say that
 * others wait for it, or that it waits. After today, being waited for or blocked decides more than a date does. Today is the reader's day.
 */
export function sectionsOf(
  tasks: readonly Task[],
  now: number,
  { blocks, isBlocked }: Dependencies,
): readonly Section[] {
  const [today = 0, tomorrow = 0, , week = 0] = dueBounds(now)
  const isDueBefore =
    (moment: number) =>
    ({ due_at }: Task) =>
      due_at !== null && due_at < moment
  const sections = [
    { id: 'overdue', name: t('Overdue'), has: isDueBefore(today) },
    { id: 'today', name: t('Today'), has: isDueBefore(tomorrow) },
    { id: 'waiting', name: t('Waiting on me'), has: ({ id }: Task) => blocks(id) },
    { id: 'blocked', name: t('Blocked'), has: ({ id, status }: Task) => status === 'blocked' || isBlocked(id) },
    { id: 'next', name: t('Next 7 days'), has: isDueBefore(week) },
    { id: 'started', name: t('Started, without a date'), has: isStartedUndated },
    { id: 'later', name: t('Later'), has: isDueBefore(Number.POSITIVE_INFINITY) },
    { id: 'undated', name: t('No due date'), has: () => true },
  ]
  const placed = Map.groupBy(tasks, (task) => sections.find(({ has }) => has(task))?.id)
  return sections.flatMap(({ id, name }) => {
    const own = placed.get(id)
    return own === undefined ? [] : [{ id, name, tasks: own }]
  })
}

function isStartedUndated({ due_at, status }: Task): boolean {
  return due_at === null && (status === 'in_progress' || status === 'in_review')
}

/** The rows of the list: a head before each section's tasks. */
export function rowsOf(sections: readonly Section[], collapsed: ReadonlySet<string>): readonly ShownRow[] {
  return sections.flatMap(({ id, name, tasks }) => {
    const isExpanded = !collapsed.has(id)
    const head = { kind: 'head', group: id, name, mark: null, count: tasks.length, isExpanded } as const
    const rows = tasks.map((task) => ({ task, level: 0, isExpanded: null, group: id }))
    return [head, ...(isExpanded ? rows : [])]
  })
}
