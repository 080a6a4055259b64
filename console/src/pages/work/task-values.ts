/** The values of task fields in their order, and their names. */
import { inWords, type Tone } from '../../design/index.ts'

export const statuses = ['backlog', 'todo', 'in_progress', 'in_review', 'blocked', 'done', 'canceled'] as const
export type Status = (typeof statuses)[number]

export const priorities = ['urgent', 'high', 'medium', 'low', 'none'] as const
export type Priority = (typeof priorities)[number]

export function priorityName(priority: string): string {
  return priority === 'none' ? 'No priority' : inWords(priority)
}

export function isOpen(status: string): boolean {
  return status !== 'done' && status !== 'canceled'
}

export const statusChoices = statuses.map((value) => ({ value, label: inWords(value) }))
export const priorityChoices = priorities.map((value) => ({ value, label: priorityName(value) }))

const list = new Intl.ListFormat('en', { type: 'conjunction' })

/** `due_at`, `custom_fields` read "due date and custom fields". */
export function fieldNames(fields: readonly string[]): string {
  return list.format(fields.map((name) => (name === 'due_at' ? 'due date' : inWords(name).toLowerCase())))
}

export const dependencyKinds = ['blocks', 'precedes', 'relates_to', 'duplicates'] as const
export type DependencyKind = (typeof dependencyKinds)[number]

const label_tones: readonly Tone[] = ['accent', 'good', 'warn', 'info', 'violet', 'neutral']

/** A label has the same color wherever it is shown. */
export function labelTone(label: string): Tone {
  let sum = 0
  for (const letter of label) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  return label_tones[sum % label_tones.length] ?? 'neutral'
}
