/**
 * Terms: the labels and custom fields of a task as words of an index, `:backend` for a label and `points=3` for a custom
 * field. Invariant: a task that matches a filter has one of the filter's terms. The reverse is not always true (long values
 * are cut, `3` is a number or a text), so tasks found by their terms are tested by the filter too.
 */

import { limits } from '../../api/limits.ts'
import type { TaskRow } from '../../db/schema.ts'
import type { CustomValue } from './filter/check.ts'

/** All terms of a task, each once. */
export function termsOf({ labels, custom_fields }: Pick<TaskRow, 'labels' | 'custom_fields'>): string[] {
  const terms = new Set<string>()
  if (labels !== '[]') for (const label of JSON.parse(labels) as string[]) terms.add(labelTerm(label))
  if (custom_fields !== '{}') {
    for (const [key, value] of Object.entries(JSON.parse(custom_fields) as Record<string, unknown>)) {
      // A list matches only by `:`, which also finds parts of a text; an index cannot serve that.
      if (value !== null && typeof value !== 'object') terms.add(customTerm(key, String(value)))
    }
  }
  return [...terms]
}

/** The term of all tasks with a label. */
export function labelTerm(label: string): string {
  return `:${cut(label)}`
}

/** The terms of tasks whose custom field can equal a value, which may be a text, a number or a truth value. */
export function customTerms(key: string, { text, number, truth }: CustomValue): string[] {
  const spelled = [text, ...(number === null ? [] : [String(number)]), ...(truth === null ? [] : [String(truth)])]
  return [...new Set(spelled.map((value) => customTerm(key, value)))]
}

/** Unambiguous: the key of a custom field contains neither a colon nor an equals sign. */
function customTerm(key: string, value: string): string {
  return `${key}=${cut(value)}`
}

/** Cuts at whole characters, as the engines do. PostgreSQL's indexes refuse values longer than a third of a page. */
function cut(text: string): string {
  return text.length <= limits.term_chars_max ? text : [...text].slice(0, limits.term_chars_max).join('')
}
