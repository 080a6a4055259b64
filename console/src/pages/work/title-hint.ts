import { dateFormat } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import type { Named, TitleWords } from './title-words.ts'

/** What the title says, for the line below it. */
export function understood(read: TitleWords, people: readonly Named[]): readonly string[] {
  const person = people.find(({ id }) => id === read.assignee)
  return [
    ...(person === undefined ? [] : [t('Assignee {name}', { name: person.name })]),
    ...read.labels.map((label) => t('Label {label}', { label })),
    ...(read.priority === null ? [] : [t('Priority {priority}', { priority: read.priority })]),
    ...(read.due_at === null ? [] : [t('Due {value}', { value: long_day().format(read.due_at * 1000) })]),
  ]
}

const long_day = dateFormat({ weekday: 'long', day: 'numeric', month: 'long' })
