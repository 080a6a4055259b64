/** A change of tasks in one line: "KEP-4 Antenna: due date". */
import type { OwnChange } from '../data/shapes.ts'
import { inWords } from '../design/words.ts'
import { inSentence, t } from '../language/index.ts'
import { allOf } from '../language/lists.ts'

const names: Readonly<Record<string, string>> = {
  due_at: t('due date'),
  start_at: t('start date'),
  completed_at: t('completion'),
}
export function changeText({ tasks, task_count, verbs, fields }: OwnChange): string {
  const [first] = tasks
  const about =
    task_count === 1 && first !== undefined
      ? `${first.key} ${first.title}`
      : t('{task_count, plural, one {# task} other {# tasks}}', { task_count })
  if (task_count === 0) return t('a dependency')
  if (verbs.includes('deleted')) return t('{about} deleted', { about })
  if (verbs.includes('created')) return t('{about} created', { about })
  // What follows from a change of status or column is not named.
  const own = fields.filter((name) => !/_count$|^(?:position|completed_at)$/.test(name))
  const shown = (own.length === 0 ? ['order'] : own).map(
    (name) => (name === 'order' ? t('order@@position') : names[name]) ?? inSentence(inWords(name)),
  )
  return `${about}: ${allOf(shown)}`
}
