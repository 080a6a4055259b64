/** The lanes of a board of any tasks: the values of a property, and what a card becomes that is dropped in another lane. Pure. */
import type { Task } from '@atrium/sdk'
import { customKey, type FilterField } from '../../../app/filter/fields.ts'
import { priorities, statuses } from '../../../app/tasks/values.ts'
import { dayOf, dueOn } from '../calendar/days.ts'
import { dueBounds, type GroupValue, type ListGroup, type ValueCount } from '../list-groups.ts'
import type { TaskFields } from '../writes.ts'

/** The counts with those values that no task has, because cards are moved there. */
export function withEmptyLanes(
  by: string,
  counts: readonly ValueCount[],
  fields: readonly FilterField[],
): readonly ValueCount[] {
  const found = new Set(counts.map(({ value }) => value))
  const empty = possibleValues(by, fields).filter((value) => !found.has(value))
  return [...counts, ...empty.map((value) => ({ value, count: 0 }))]
}

function possibleValues(by: string, fields: readonly FilterField[]): readonly GroupValue[] {
  if (by === 'status') return statuses
  if (by === 'priority') return priorities
  if (by === 'due_at') return [1, 2, 3, 4, null]
  if (by === 'assignee') return [null]
  const field = fields.find(({ key }) => key === customKey(by))
  if (field?.type === 'checkbox') return [true, false]
  return field?.type === 'select' ? field.options.map(({ id }) => id) : []
}

export type Drop =
  | { readonly fields: TaskFields }
  | { readonly project: string | null; readonly column: string | null }
  | null

/** What a card takes from the lane that it is dropped in; null if the lane gives nothing that can be set. */
export function dropOf(by: string, from: ListGroup, to: ListGroup, task: Task, now: number): Drop {
  const { value } = to
  if (to.filter === null || from.id === to.id) return null
  switch (by) {
    case 'status':
    case 'priority':
      return typeof value === 'string' ? { fields: { [by]: value } as TaskFields } : null
    case 'assignee':
      return value === null || typeof value === 'string' ? { fields: { assignee: value } } : null
    case 'project':
      return { project: value === null ? null : String(value), column: null }
    case 'column':
      return { project: task.project, column: value === null ? null : String(value) }
    case 'labels':
      return { fields: { labels: relabeled(task.labels, from.value, value) } }
    case 'due_at':
      return dueDrop(value, task, now)
    default: {
      const key = customKey(by)
      return key === undefined ? null : { fields: { custom_fields: { [key]: value } } }
    }
  }
}

/** The label of the former lane is replaced. */
function relabeled(labels: readonly string[], from: GroupValue, to: GroupValue): string[] {
  const others = labels.filter((label) => label !== from && label !== to)
  return to === null ? (from === null ? [] : others) : [...others, String(to)]
}

/** The first day of the lane, at the same time of the day. Nothing is planned for the past. */
function dueDrop(value: GroupValue, task: Task, now: number): Drop {
  if (value === null) return { fields: { due_at: null } }
  const start = dueBounds(now)[Number(value) - 1]
  return start === undefined ? null : { fields: { due_at: dueOn(dayOf(start), task.due_at) } }
}
