/** The words of tasks: statuses and priorities in their order, and what people call them. */
import type { Tone } from '../../design/index.ts'

export const statuses = ['backlog', 'todo', 'in_progress', 'in_review', 'blocked', 'done', 'canceled'] as const
export type Status = (typeof statuses)[number]

export const priorities = ['urgent', 'high', 'medium', 'low', 'none'] as const
export type Priority = (typeof priorities)[number]

const statusNames: Readonly<Record<string, string>> = {
  backlog: 'Backlog',
  todo: 'To do',
  in_progress: 'In progress',
  in_review: 'In review',
  blocked: 'Blocked',
  done: 'Done',
  canceled: 'Canceled',
}

const priorityNames: Readonly<Record<string, string>> = {
  urgent: 'Urgent',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  none: 'No priority',
}

/** The API may know values that this page does not. */
function spelled(value: string): string {
  return value.charAt(0).toUpperCase() + value.slice(1).replaceAll('_', ' ')
}

export function statusName(status: string): string {
  return statusNames[status] ?? spelled(status)
}

export function priorityName(priority: string): string {
  return priorityNames[priority] ?? spelled(priority)
}

export function isOpen(status: string): boolean {
  return status !== 'done' && status !== 'canceled'
}

export const statusChoices = statuses.map((value) => ({ value, label: statusName(value) }))
export const priorityChoices = priorities.map((value) => ({ value, label: priorityName(value) }))

export const dependencyKinds = ['blocks', 'precedes', 'relates_to', 'duplicates'] as const
export type DependencyKind = (typeof dependencyKinds)[number]

export const dependencyNames: Readonly<Record<string, string>> = {
  blocks: 'Blocks',
  precedes: 'Comes before',
  relates_to: 'Is related to',
  duplicates: 'Is the same as',
}

export const labelTones: readonly Tone[] = ['accent', 'good', 'warn', 'info', 'violet', 'neutral']

/** A label keeps its colour wherever it is shown. */
export function labelTone(label: string): Tone {
  let sum = 0
  for (const letter of label) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  return labelTones[sum % labelTones.length] ?? 'neutral'
}
