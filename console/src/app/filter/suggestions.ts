/** Completes filter expressions: fields, operators, and values of a field. */

import { t } from '../../language/index.ts'
import { customKey, customProperty } from './fields.ts'
import { optionsOf, type Property, propertyHint, propertyOf, timeName, type Vocabulary } from './values.ts'

export interface Suggestion {
  /** Replaces the text between `from` and the caret. */
  readonly insert: string
  readonly label: string
  readonly hint: string
  readonly from: number
}

const suggestions_max = 12

const fields: readonly (readonly [string, string])[] = [
  ['status', t('backlog, todo, in_progress…')],
  ['priority', 'none < low < medium < high < urgent'],
  ['assignee', 'a person'],
  ['team', t('a team of the assignee')],
  ['project', 'a project'],
  ['column', 'a column'],
  ['parent', t('a task, or none')],
  ['labels', t('labels:urgent has the label')],
  ['title', t('title:word contains the word')],
  ['description', t('description:word contains the word')],
  ['due_at', t('2026-12-01, today+7d, or null')],
  ['start_at', t('2026-12-01, today+7d, or null')],
  ['created', '2026-12-01, now-7d'],
  ['updated', '2026-12-01, now-7d'],
  ['completed_at', t('2026-12-01, now-7d, or null')],
  ['key', t('such as KEP-42')],
  ['is_archived', t('true or false')],
]

const joins: readonly (readonly [string, string])[] = [
  ['AND', 'both'],
  ['OR', 'either'],
  ['NOT', t('the opposite')],
]

const ordered = ['due_at', 'start_at', 'created', 'updated', 'completed_at', 'priority']
const contained = ['labels', 'title', 'description']

const operatorHints: Readonly<Record<string, string>> = {
  '=': 'is',
  '!=': t('is not'),
  ':': 'contains',
  '<': t('less than, before'),
  '<=': t('at most'),
  '>': t('more than, after'),
  '>=': t('at least'),
}

export function suggest(text: string, caret: number, vocabulary: Vocabulary): readonly Suggestion[] {
  const before = text.slice(0, caret)
  if (isInQuotes(before)) return []
  const value = /([a-z_]+(?:\.[a-z0-9_]+)?)\s*(!=|<=|>=|=|<|>|:)\s*([^\s()"=<>!:]*)$/.exec(before)
  if (value) return suggestValues(value[1] ?? '', value[3] ?? '', caret, vocabulary)
  const known = [...fields, ...customFields(vocabulary)]
  const isField = (word: string | undefined) => known.some(([name]) => name === word)
  const subject = /(?:^|[\s(-])([a-z_]+(?:\.[a-z0-9_]+)?)\s+$/.exec(before)?.[1]
  if (subject !== undefined && isField(subject)) return suggestOperators(subject, caret, vocabulary)
  const word = /([A-Za-z0-9_.]*)$/.exec(before)?.[1] ?? ''
  if (isField(word)) return suggestOperators(word, caret, vocabulary)
  const candidates = [...known, ...(before.trim() === word ? [] : joins)]
  return candidates
    .filter(([name, hint]) => fits(word.toLowerCase(), name.toLowerCase(), hint.toLowerCase()))
    .map(([name, hint]) => ({
      insert: joins.some(([join]) => join === name) ? `${name} ` : name,
      label: name,
      hint,
      from: caret - word.length,
    }))
}

/** A custom field is also found by its key or name. */
function fits(typed: string, name: string, hint: string): boolean {
  if (name.startsWith(typed)) return true
  const key = customKey(name)
  return key !== undefined && typed !== '' && (key.startsWith(typed) || hint.startsWith(typed))
}

function customFields(vocabulary: Vocabulary): readonly (readonly [string, string])[] {
  return vocabulary.fields
    .filter(({ isOffered }) => isOffered)
    .map(({ key, name }) => {
      const property = propertyOf(customProperty(key), vocabulary)
      return [property.name, `${name}: ${propertyHint(property)}`]
    })
}

function isInQuotes(text: string): boolean {
  return (text.replace(/\\./g, '').split('"').length - 1) % 2 === 1
}

function suggestOperators(field: string, caret: number, vocabulary: Vocabulary): Suggestion[] {
  return operatorsOf(field, vocabulary).map((operator) => ({
    insert: operator === ':' ? ':' : ` ${operator} `,
    label: `${field} ${operator}`,
    hint: operatorHints[operator] ?? '',
    from: caret,
  }))
}

function operatorsOf(field: string, vocabulary: Vocabulary): readonly string[] {
  if (field === 'labels') return [':']
  if (customKey(field) !== undefined) return customOperators(propertyOf(field, vocabulary))
  if (contained.includes(field)) return [':', '=', '!=']
  return ordered.includes(field) ? ['<', '>', '<=', '>=', '=', '!='] : ['=', '!=']
}

function customOperators({ kind }: Property): readonly string[] {
  if (kind === 'number' || kind === 'day') return ['<', '>', '<=', '>=', '=', '!=']
  return kind === 'text' ? [':', '=', '!='] : ['=', '!=']
}

function suggestValues(field: string, typed: string, caret: number, vocabulary: Vocabulary): Suggestion[] {
  const wanted = typed.toLowerCase()
  return valuesOf(field, vocabulary)
    .filter(([insert, label]) => `${insert} ${label}`.toLowerCase().includes(wanted) && insert !== typed)
    .slice(0, suggestions_max)
    .map(([insert, label]) => ({
      insert: `${insert} `,
      label,
      hint: insert === label || id_text.test(insert) ? '' : insert,
      from: caret - typed.length,
    }))
}

/** An id is inserted where names are not clear, and not shown. */
const id_text = /^"?[a-z]{3}_[0-9A-Za-z]{8,}"?$/

type Value = readonly [insert: string, label: string]

const times = ['today', 'today+1d', 'today+7d', 'today+30d', 'today-7d', 'today-30d', 'now']

function valuesOf(field: string, vocabulary: Vocabulary): Value[] {
  switch (field) {
    case 'due_at':
    case 'start_at':
    case 'completed_at':
      return [...timesOf(vocabulary), ['null', t('None')]]
    case 'created':
    case 'updated':
      return timesOf(vocabulary)
    default:
      if (propertyOf(field, vocabulary).kind === 'day') return [...timesOf(vocabulary), ['null', t('None')]]
      return optionsOf(field, 'is', vocabulary).flatMap(({ label, values, readable }) =>
        (readable ? [readable] : values).map(
          ({ text, quoted }): Value => [quoted ? JSON.stringify(text) : text, label],
        ),
      )
  }
}

function timesOf({ now }: Vocabulary): Value[] {
  return times.map((text) => [text, timeName({ text, quoted: false }, now)])
}
