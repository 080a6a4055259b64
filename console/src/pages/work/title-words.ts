/**
 * What a title says besides its words: `@ada` the assignee, `#docs` a label, `!high` the priority, and a date at the end or
 * after `due`. What is not understood stays in the title.
 */

import { type Priority, priorities } from '../../app/tasks/values.ts'
import { dayOf, endOfDay } from './date-words.ts'

export interface Named {
  readonly id: string
  readonly name: string
}

export interface TitleWords {
  readonly title: string
  readonly assignee: string | null
  readonly labels: readonly string[]
  readonly priority: Priority | null
  /** Unix seconds. */
  readonly due_at: number | null
}

/** The most words of a date: "in 2 weeks", "end of month". */
const date_words_max = 3

/** `now` is in milliseconds. A name matches one person by the beginning of a word, without regard to case. */
export function readTitle(text: string, people: readonly Named[], now: number): TitleWords {
  const left: string[] = []
  const labels = new Set<string>()
  let assignee: string | null = null
  let priority: Priority | null = null
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const value = word.slice(1).replace(/[,;]$/, '')
    const person = word.startsWith('@') ? personOf(value, people) : undefined
    if (person !== undefined) assignee = person.id
    else if (/^#[\p{L}\p{N}]/u.test(word) && !/^#\d+$/.test(word)) labels.add(value)
    else if (word.startsWith('!') && isPriority(value.toLowerCase())) priority = value.toLowerCase() as Priority
    else left.push(word)
  }
  const { words, due_at } = takeDate(left, now)
  return { title: words.join(' '), assignee, labels: [...labels], priority, due_at }
}

function isPriority(text: string): boolean {
  return (priorities as readonly string[]).includes(text)
}

/** One person whose full name or one of its words begins with the text. */
function personOf(text: string, people: readonly Named[]): Named | undefined {
  if (text === '') return undefined
  const sought = text.toLowerCase().replaceAll(/[._]/g, ' ')
  const matching = people.filter(({ name }) => ` ${name.toLowerCase()}`.includes(` ${sought}`))
  return matching.length === 1 ? matching[0] : matching.find(({ name }) => name.toLowerCase() === sought)
}

/** A date at the end of the words, the longest first. A title of a date alone keeps it. */
function takeDate(words: readonly string[], now: number): { words: readonly string[]; due_at: number | null } {
  for (let count = Math.min(date_words_max, words.length - 1); count > 0; count--) {
    const start = words.length - count
    const day = dayOf(words.slice(start).join(' '), now)
    if (day === null) continue
    const before = words[start - 1]?.toLowerCase()
    const hasDue = (before === 'due' || before === 'by') && start > 1
    return { words: words.slice(0, hasDue ? start - 1 : start), due_at: endOfDay(day) }
  }
  return { words, due_at: null }
}
