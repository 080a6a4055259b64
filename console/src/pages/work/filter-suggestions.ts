/** Completes filter expressions: fields, operators, and values of a field. */
import { inWords } from '../../design/index.ts'
import { priorities, priorityName, statuses } from './task-values.ts'

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
  /** Replaces the text between `from` and the caret. */
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
  ['assignee', 'a person'],
  ['project', 'a project'],
  ['column', 'the ID of a column'],
  ['labels', 'labels:urgent has the label'],
  ['title', 'title:word contains the word'],
  ['description', 'description:word contains the word'],
  ['due_at', 'Unix seconds, or null'],
  ['created', 'Unix seconds'],
  ['updated', 'Unix seconds'],
  ['completed_at', 'Unix seconds, or null'],
  ['key', 'such as KEP-42'],
  ['is_archived', 'true or false'],
  ['custom_fields.', 'a custom field'],
]

const joins: readonly (readonly [string, string])[] = [
  ['AND', 'both'],
  ['OR', 'either'],
  ['NOT', 'the opposite'],
]

const ordered = ['due_at', 'created', 'updated', 'completed_at', 'priority']
const contained = ['labels', 'title', 'description']

const operatorHints: Readonly<Record<string, string>> = {
  '=': 'is',
  '!=': 'is not',
  ':': 'contains',
  '<': 'less than, before',
  '<=': 'at most',
  '>': 'more than, after',
  '>=': 'at least',
}

export function suggest(text: string, caret: number, vocabulary: Vocabulary): readonly Suggestion[] {
  const before = text.slice(0, caret)
  if (isInQuotes(before)) return []
  const value = /([a-z_]+(?:\.[a-z0-9_]+)?)\s*(!=|<=|>=|=|<|>|:)\s*([^\s()"=<>!:]*)$/.exec(before)
  if (value) return suggestValues(value[1] ?? '', value[3] ?? '', caret, vocabulary)
  const subject = /(?:^|[\s(-])([a-z_]+)\s+$/.exec(before)
  if (subject && fields.some(([name]) => name === subject[1])) return suggestOperators(subject[1] ?? '', caret)
  const word = /([A-Za-z_.]*)$/.exec(before)?.[1] ?? ''
  if (fields.some(([name]) => name === word)) return suggestOperators(word, caret)
  const candidates = [...fields, ...(before.trim() === word ? [] : joins)]
  return candidates
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

function suggestOperators(field: string, caret: number): Suggestion[] {
  return operatorsOf(field).map((operator) => ({
    insert: operator === ':' ? ':' : ` ${operator} `,
    label: `${field} ${operator}`,
    hint: operatorHints[operator] ?? '',
    from: caret,
  }))
}

function operatorsOf(field: string): readonly string[] {
  if (field === 'labels') return [':']
  if (contained.includes(field)) return [':', '=', '!=']
  return ordered.includes(field) ? ['<', '>', '<=', '>=', '=', '!='] : ['=', '!=']
}

function suggestValues(field: string, typed: string, caret: number, vocabulary: Vocabulary): Suggestion[] {
  const wanted = typed.toLowerCase()
  return valuesOf(field, vocabulary)
    .filter(([insert, label]) => `${insert} ${label}`.toLowerCase().includes(wanted) && insert !== typed)
    .slice(0, suggestions_max)
    .map(([insert, label]) => ({
      insert: `${insert} `,
      label,
      hint: insert === label ? '' : insert,
      from: caret - typed.length,
    }))
}

type Value = readonly [insert: string, label: string]

function valuesOf(field: string, { people, projects, labels, now }: Vocabulary): Value[] {
  switch (field) {
    case 'status':
      return statuses.map((status) => [status, inWords(status)])
    case 'priority':
      return priorities.map((priority) => [priority, priorityName(priority)])
    case 'assignee':
      return [...people.map(({ id, name }): Value => [id, name]), ['null', 'Unassigned']]
    case 'project':
      return [...projects.map(({ id, name }): Value => [id, name]), ['null', 'No project']]
    case 'labels':
      return labels.map((label) => [/^[\w-]+$/.test(label) ? label : JSON.stringify(label), label])
    case 'is_archived':
      return [
        ['true', 'In archived projects'],
        ['false', 'In active projects'],
      ]
    case 'due_at':
    case 'completed_at':
      return [...times(now), ['null', 'None']]
    case 'created':
    case 'updated':
      return times(now)
    default:
      return []
  }
}

function times(now: number): Value[] {
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

/** The IDs of people and projects in an expression, with their names. */
export function namedIdsIn(text: string, { people, projects }: Vocabulary): readonly Named[] {
  const ids = new Set(text.match(/\b(?:usr|prj)_[0-9A-HJKMNP-TV-Z]{26}\b/g))
  return [...people, ...projects].filter(({ id }) => ids.has(id))
}
