/** A change of tasks in one line: "KEP-4 Antenna: due date". */
import type { OwnChange } from '../data/shapes.ts'
import { inWords } from '../design/words.ts'

const names: Readonly<Record<string, string>> = {
  due_at: 'due date',
  start_at: 'start date',
  completed_at: 'completion',
}
const list = new Intl.ListFormat('en', { type: 'conjunction' })

export function changeText({ tasks, task_count, verbs, fields }: OwnChange): string {
  const [first] = tasks
  const about =
    task_count === 1 && first !== undefined
      ? `${first.key} ${first.title}`
      : `${task_count} ${task_count === 1 ? 'task' : 'tasks'}`
  if (task_count === 0) return 'a dependency'
  if (verbs.includes('deleted')) return `${about} deleted`
  if (verbs.includes('created')) return `${about} created`
  // What follows from a change of status or column is not named.
  const own = fields.filter((name) => !/_count$|^(?:position|completed_at)$/.test(name))
  const shown = (own.length === 0 ? ['order'] : own).map((name) => names[name] ?? inWords(name).toLowerCase())
  return `${about}: ${list.format(shown)}`
}
