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

/** Today is the reader's day. A task that others wait for, or that waits itself, also stands in the section of its date. */
export function sectionsOf(
  tasks: readonly Task[],
  now: number,
  { blocks, isBlocked }: Dependencies,
): readonly Section[] {
  const [today = 0, tomorrow = 0, , week = 0] = dueBounds(now)
  const dated = (from: number, until: number) =>
    tasks.filter(({ due_at }) => due_at !== null && due_at >= from && due_at < until)
  const isStarted = ({ status }: Task) => status === 'in_progress' || status === 'in_review'
  const undated = tasks.filter(({ due_at }) => due_at === null)
  const sections = [
    { id: 'overdue', name: t('Overdue'), tasks: dated(Number.NEGATIVE_INFINITY, today) },
    { id: 'today', name: t('Today'), tasks: dated(today, tomorrow) },
    { id: 'waiting', name: t('Waiting on me'), tasks: tasks.filter(({ id }) => blocks(id)) },
    {
      id: 'blocked',
      name: t('Blocked'),
      tasks: tasks.filter((task) => task.status === 'blocked' || isBlocked(task.id)),
    },
    { id: 'next', name: t('Next 7 days'), tasks: dated(tomorrow, week) },
    { id: 'started', name: t('Started, without a date'), tasks: undated.filter(isStarted) },
    { id: 'later', name: t('Later'), tasks: dated(week, Number.POSITIVE_INFINITY) },
    { id: 'undated', name: t('No due date'), tasks: undated.filter((task) => !isStarted(task)) },
  ]
  return sections.filter(({ tasks: own }) => own.length > 0)
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
