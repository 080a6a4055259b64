/** The values of task fields in their order, and their names. */
import { momentOf, startOfWallDay, wallOf } from '../../design/wall-time.ts'
import { inWords } from '../../design/words.ts'
import { inSentence, t } from '../../language/index.ts'
import { allOf } from '../../language/lists.ts'

export const statuses = ['backlog', 'todo', 'in_progress', 'in_review', 'blocked', 'done', 'canceled'] as const
export type Status = (typeof statuses)[number]

export const priorities = ['urgent', 'high', 'medium', 'low', 'none'] as const
export type Priority = (typeof priorities)[number]

export function priorityName(priority: string): string {
  return priority === 'none' ? t('No priority') : inWords(priority)
}

export function isOpen(status: string): boolean {
  return status !== 'done' && status !== 'canceled'
}

export const statusChoices = statuses.map((value) => ({ value, label: inWords(value) }))
export const priorityChoices = priorities.map((value) => ({ value, label: priorityName(value) }))

const date_names: Readonly<Record<string, string>> = { due_at: t('due date'), start_at: t('start date') }

/** `due_at`, `custom_fields` read "due date and custom fields". */
export function fieldNames(fields: readonly string[]): string {
  return allOf(fields.map((name) => date_names[name] ?? inSentence(inWords(name))))
}

export const dependencyKinds = ['blocks', 'precedes', 'relates_to', 'duplicates'] as const
export type DependencyKind = (typeof dependencyKinds)[number]

const label_tones = ['accent', 'good', 'warn', 'info', 'violet', 'neutral'] as const

/** A label has the same color wherever it is shown. */
export function labelTone(label: string): (typeof label_tones)[number] {
  let sum = 0
  for (const letter of label) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  return label_tones[sum % label_tones.length] ?? 'neutral'
}

/** A date field gives the end of a day; a task starts at its beginning. Unix seconds. */
export function startOfDay(at: number | null): number | null {
  return at === null ? null : momentOf(startOfWallDay(wallOf(at)))
}
