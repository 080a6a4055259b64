/** What can stand next in a filter expression: fields, their comparisons, and the values that make sense for a field. */
import { priorities, priorityName, statuses, statusName } from './words.ts'

export interface Named {
  readonly id: string
  readonly name: string
}

export interface Vocabulary {
  readonly people: readonly Named[]
  readonly projects: readonly Named[]
  readonly labels: readonly string[]
  /** Unix seconds. */
  readonly now: number
}

export interface Suggestion {
  /** Goes where the text from `from` to the caret stands. */
  readonly insert: string
  readonly label: string
  readonly hint: string
  readonly from: number
}

const day_s = 86_400
const suggestions_max = 12

const fields: readonly (readonly [string, string])[] = [
  ['status', 'backlog, todo, in_progress…'],
  ['priority', 'none < low < medium < high < urgent'],
  ['assignee', 'who does it'],
  ['project', 'where it belongs'],
  ['column', 'the id of a column'],
  ['labels', 'labels:x has it'],
  ['title', 'title:word contains it'],
  ['description', 'description:word contains it'],
  ['due_at', 'Unix seconds, or null'],
  ['created', 'Unix seconds'],
  ['updated', 'Unix seconds'],
  ['completed_at', 'Unix seconds, or null'],
  ['key', 'KEP-42'],
  ['is_archived', 'true or false'],
  ['custom_fields.', 'a field of your own'],
]

const joins: readonly (readonly [string, string])[] = [
  ['AND', 'both'],
  ['OR', 'one of both'],
  ['NOT', 'the contrary'],
]

const ordered = ['due_at', 'created', 'updated', 'completed_at', 'priority']
const contained = ['labels', 'title', 'description']

const operatorHints: Readonly<Record<string, string>> = {
  '=': 'is',
  '!=': 'is not',
  ':': 'has, contains',
  '<': 'before, less',
  '<=': 'up to',
  '>': 'after, more',
  '>=': 'from',
}

export function suggest(text: string, caret: number, vocabulary: Vocabulary): readonly Suggestion[] {
  const before = text.slice(0, caret)
  if (isInQuotes(before)) return []
  const value = /([a-z_]+(?:\.[a-z0-9_]+)?)\s*(!=|<=|>=|=|<|>|:)\s*([^\s()"=<>!:]*)$/.exec(before)
  if (value) return values(value[1] ?? '', value[3] ?? '', caret, vocabulary)
  const subject = /(?:^|[\s(-])([a-z_]+)\s+$/.exec(before)
  if (subject && fields.some(([name]) => name === subject[1])) return operators(subject[1] ?? '', caret)
  const word = /([A-Za-z_.]*)$/.exec(before)?.[1] ?? ''
  if (fields.some(([name]) => name === word)) return operators(word, caret)
  const offered = [...fields, ...(before.trim() === word ? [] : joins)]
  return offered
    .filter(([name]) => name.toLowerCase().startsWith(word.toLowerCase()))
    .map(([name, hint]) => ({
      insert: joins.some(([join]) => join === name) ? `${name} ` : name,
      label: name,
      hint,
      from: caret - word.length,
    }))
}

function isInQuotes(text: string): boolean {
  return (text.replace(/\\./g, '').split('"').length - 1) % 2 === 1
}

function operators(field: string, caret: number): Suggestion[] {
  const signs = contained.includes(field)
    ? [':', '=', '!=']
    : ordered.includes(field)
      ? ['<', '>', '<=', '>=', '=', '!=']
      : ['=', '!=']
  // Labels are had or not.
  const usable = field === 'labels' ? [':'] : signs
  return usable.map((sign) => ({
    insert: sign === ':' ? ':' : ` ${sign} `,
    label: `${field} ${sign}`,
    hint: operatorHints[sign] ?? '',
    from: caret,
  }))
}

function values(field: string, typed: string, caret: number, vocabulary: Vocabulary): Suggestion[] {
  const wanted = typed.toLowerCase()
  return choices(field, vocabulary)
    .filter(([insert, label]) => `${insert} ${label}`.toLowerCase().includes(wanted) && insert !== typed)
    .slice(0, suggestions_max)
    .map(([insert, label]) => ({
      insert: `${insert} `,
      label,
      hint: insert === label ? '' : insert,
      from: caret - typed.length,
    }))
}

type Choice = readonly [insert: string, label: string]

function choices(field: string, { people, projects, labels, now }: Vocabulary): Choice[] {
  const nothing: Choice = ['null', 'None']
  switch (field) {
    case 'status':
      return statuses.map((status) => [status, statusName(status)])
    case 'priority':
      return priorities.map((priority) => [priority, priorityName(priority)])
    case 'assignee':
      return [...people.map(({ id, name }): Choice => [id, name]), ['null', 'Nobody']]
    case 'project':
      return [...projects.map(({ id, name }): Choice => [id, name]), ['null', 'No project']]
    case 'labels':
      return labels.map((label) => [/^[\w-]+$/.test(label) ? label : JSON.stringify(label), label])
    case 'is_archived':
      return [
        ['true', 'In archived projects'],
        ['false', 'In active projects'],
      ]
    case 'due_at':
    case 'completed_at':
      return [...times(now), nothing]
    case 'created':
    case 'updated':
      return times(now)
    default:
      return []
  }
}

function times(now: number): Choice[] {
  const today = new Date(now * 1000)
  const midnight = Math.floor(today.setHours(0, 0, 0, 0) / 1000)
  const days: readonly (readonly [number, string])[] = [
    [0, 'Start of today'],
    [1, 'End of today'],
    [7, 'In 7 days'],
    [30, 'In 30 days'],
    [-7, '7 days ago'],
    [-30, '30 days ago'],
  ]
  return days.map(([count, label]) => [String(midnight + count * day_s), label])
}

/** Ids in an expression with what they stand for, so that it can be read. */
export function idsIn(text: string, { people, projects }: Vocabulary): readonly Named[] {
  const ids = new Set(text.match(/\b(?:usr|prj)_[0-9A-HJKMNP-TV-Z]{26}\b/g))
  return [...people, ...projects].filter(({ id }) => ids.has(id))
}
