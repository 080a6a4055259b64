/**
 * Terms: words for what a task can be found by inside its JSON texts, `:backend` for a label and `points=3` for a custom
 * field, so that an index leads from them to the task. Invariant: a task that a filter holds for has one of the filter's
 * terms. The reverse need not be true (long values are cut, `3` is a number or a text), so a task that was found by its
 * terms is always tested by the filter itself.
 */

import { limits } from '../../api/limits.ts'
import type { TaskRow } from '../../db/schema.ts'
import type { CustomValue } from './filter/check.ts'

/** Every term of a task, each once. */
export function termsOf({ labels, custom_fields }: Pick<TaskRow, 'labels' | 'custom_fields'>): string[] {
  const terms = new Set<string>()
  if (labels !== '[]') for (const label of JSON.parse(labels) as string[]) terms.add(labelTerm(label))
  if (custom_fields !== '{}') {
    for (const [key, value] of Object.entries(JSON.parse(custom_fields) as Record<string, unknown>)) {
      // Lists are looked into by `:` only, which looks for a part of a text too: no index finds that.
      if (value !== null && typeof value !== 'object') terms.add(customTerm(key, String(value)))
    }
  }
  return [...terms]
}

/** The term of the tasks that have a label. */
export function labelTerm(label: string): string {
  return `:${cut(label)}`
}

/** The terms of the tasks whose custom field may equal a value: it may be the text, the number or the truth it spells. */
export function customTerms(key: string, { text, number, truth }: CustomValue): string[] {
  const spelled = [text, ...(number === null ? [] : [String(number)]), ...(truth === null ? [] : [String(truth)])]
  return [...new Set(spelled.map((value) => customTerm(key, value)))]
}

/** No key of a custom field begins with a colon, and none holds an equals sign. */
function customTerm(key: string, value: string): string {
  return `${key}=${cut(value)}`
}

/** By whole characters, as the engines cut. PostgreSQL's indexes refuse what is longer than a third of a page. */
function cut(text: string): string {
  return text.length <= limits.term_chars_max ? text : [...text].slice(0, limits.term_chars_max).join('')
}
