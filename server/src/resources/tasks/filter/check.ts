/**
 * What a task filter means: every comparison of the grammar (parse.ts) against the fields of a task (decisions §6).
 *
 * - `!=` is exactly NOT `=`. `= null` tests for null (false of a field that is never null, true of labels when there
 *   are none and of a custom field that is not there), any other comparison with null is false. An unquoted `null` is
 *   null in every field, a quoted one is text.
 * - `:` is a substring in title and description, without regard to case; equality elsewhere. An unquoted `*` after it
 *   asks for any value (`due_at:*`), but in a title or description it is that character.
 * - status, priority, assignee, project, column and key compare whole and exactly. A status or priority that does not
 *   exist matches nothing, but has no order. labels take only `:` and the tests for null.
 * - Times are whole Unix seconds; the milliseconds that are kept are rounded down for it.
 * - `custom_fields.<key>`: a quoted value is text. An unquoted number, `true` or `false` equals that value or the text
 *   spelled so; `<` and its kin compare a number with numbers only and text with text by code point. `:` is equality
 *   with a number or boolean, a substring without regard to case in a text, exactly an element in an array.
 */
import { answerFault, type Comparison, type Expression, type FilterError, type Literal, parseFilter } from './parse.ts'
import { type Comparator, excerpt, FilterFault } from './tokens.ts'

export type Order = '<' | '<=' | '>' | '>='
export type TimeColumn = 'created' | 'updated' | 'due_at' | 'completed_at'
export type NullableColumn = 'description' | 'assignee' | 'project' | 'column' | 'due_at' | 'completed_at'
export type ExactColumn = 'title' | 'description' | 'status' | 'priority' | 'assignee' | 'project' | 'column' | 'key'

/** A value as a custom field may hold it; `number` and `truth` are null where it can be text only. */
export type CustomValue = { text: string; number: number | null; truth: boolean | null }

export type CustomTest =
  | { kind: 'absent' }
  | { kind: 'equals' | 'has'; value: CustomValue }
  | { kind: 'order'; comparator: Order; value: string | number }

/** A filter that is true or false of every task, never null. */
export type Condition =
  | { kind: 'and' | 'or'; operands: Condition[] }
  | { kind: 'not'; operand: Condition }
  | { kind: 'constant'; holds: boolean }
  | { kind: 'phrase'; text: string }
  | { kind: 'null'; column: NullableColumn }
  | { kind: 'equals'; column: ExactColumn; value: string }
  | { kind: 'contains'; column: 'title' | 'description'; text: string }
  | { kind: 'title_order'; comparator: Order; value: string }
  | { kind: 'rank'; comparator: Order | '='; rank: number }
  | { kind: 'time'; column: TimeColumn; comparator: Order | '='; seconds: number }
  | { kind: 'archived'; value: boolean }
  | { kind: 'label'; value: string }
  | { kind: 'unlabelled' }
  | { kind: 'custom'; key: string; test: CustomTest }

/** `names_is_archived`: the filter replaces the default of active tasks only. */
export type CheckedFilter = { ok: true; condition: Condition; names_is_archived: boolean }

/** Seconds as far as JavaScript's Date reaches, so that their milliseconds are exact. */
export const filter_time_seconds_max = 8_640_000_000_000

const priorities = ['none', 'low', 'medium', 'high', 'urgent']
const custom_key = /^[a-z][a-z0-9_]{0,39}$/
const number_form = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/
const never: Condition = { kind: 'constant', holds: false }

/** How one field is compared: the comparators it has besides those with null, its null test, and the rest. */
type Field = {
  comparators: Comparator[]
  null_test: Condition
  /** `:*` asks for any value; otherwise the star is text. */
  has_presence: boolean
  compare(comparator: Order | '=' | ':', value: Literal): Condition
}

const equality: Comparator[] = ['=', '!=', ':']
const order: Comparator[] = ['<', '<=', '>', '>=']

const fields = new Map<string, Field>([
  ['title', textField('title')],
  ['description', textField('description')],
  ['status', exactField('status', never)],
  [
    'priority',
    { comparators: [...equality, ...order], null_test: never, has_presence: true, compare: comparePriority },
  ],
  ['assignee', exactField('assignee', { kind: 'null', column: 'assignee' })],
  ['project', exactField('project', { kind: 'null', column: 'project' })],
  ['column', exactField('column', { kind: 'null', column: 'column' })],
  [
    'labels',
    {
      comparators: [':'],
      null_test: { kind: 'unlabelled' },
      has_presence: true,
      compare: (_, value) => ({ kind: 'label', value: value.text }),
    },
  ],
  ['key', exactField('key', never)],
  ['created', timeField('created', never)],
  ['updated', timeField('updated', never)],
  ['due_at', timeField('due_at', { kind: 'null', column: 'due_at' })],
  ['completed_at', timeField('completed_at', { kind: 'null', column: 'completed_at' })],
  ['is_archived', { comparators: equality, null_test: never, has_presence: true, compare: compareArchived }],
])

/**
 * Reads and checks the text of a filter. Refused with a message and a 1-based position, both fit for the caller's eyes:
 * what parse.ts refuses, unknown fields, comparators a field has not, and values of another type. Never throws.
 * Source: decisions §6.
 */
export function readFilter(text: string): CheckedFilter | FilterError {
  const parsed = parseFilter(text)
  return parsed.ok ? checkFilter(parsed.expression) : parsed
}

/** The meaning of a parsed filter, or why it has none. Never throws. Source: decisions §6. */
export function checkFilter(expression: Expression): CheckedFilter | FilterError {
  return answerFault(() => ({
    ok: true,
    condition: meaning(expression),
    names_is_archived: namesIsArchived(expression),
  }))
}

/** As deep as the parser lets parentheses go. */
function meaning(expression: Expression): Condition {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return { kind: expression.kind, operands: expression.operands.map(meaning) }
    case 'not':
      return not(meaning(expression.operand))
    case 'phrase':
      return { kind: 'phrase', text: expression.text }
    case 'comparison':
      return compare(expression)
  }
}

function namesIsArchived(expression: Expression): boolean {
  if (expression.kind === 'comparison') return expression.path.join('.') === 'is_archived'
  if (expression.kind === 'not') return namesIsArchived(expression.operand)
  return expression.kind !== 'phrase' && expression.operands.some(namesIsArchived)
}

function compare(comparison: Comparison): Condition {
  const { comparator, value } = comparison
  const field = fieldOf(comparison)
  if (isNull(value) && comparator === '=') return field.null_test
  if (isNull(value) && comparator === '!=') return not(field.null_test)
  if (!field.comparators.includes(comparator)) throw unfit(comparison, field)
  if (isNull(value)) return never
  if (comparator === ':' && value.text === '*' && !value.quoted && field.has_presence) return not(field.null_test)
  return comparator === '!=' ? not(field.compare('=', value)) : field.compare(comparator, value)
}

function fieldOf({ path, position }: Comparison): Field {
  const [name, key] = path
  if (name === 'custom_fields') {
    if (key !== undefined && path.length === 2 && custom_key.test(key)) return customField(key)
    const keys = 'of a small letter and at most 39 small letters, digits and _'
    throw new FilterFault(`A custom field is named as custom_fields.<key>, its key ${keys}`, position)
  }
  const field = name !== undefined && path.length === 1 ? fields.get(name) : undefined
  if (field) return field
  const names = [...fields.keys(), 'custom_fields.<key>'].join(', ')
  throw new FilterFault(`There is no field ${excerpt(path.join('.'))} to filter by; there are ${names}`, position)
}

function textField(column: 'title' | 'description'): Field {
  return {
    comparators: column === 'title' ? [...equality, ...order] : equality,
    null_test: column === 'title' ? never : { kind: 'null', column },
    has_presence: false,
    compare(comparator, { text }) {
      if (comparator === ':') return { kind: 'contains', column, text }
      return comparator === '='
        ? { kind: 'equals', column, value: text }
        : { kind: 'title_order', comparator, value: text }
    },
  }
}

function exactField(column: Exclude<ExactColumn, 'title' | 'description'>, nullTest: Condition): Field {
  return {
    comparators: equality,
    null_test: nullTest,
    has_presence: true,
    compare: (_, { text }) => ({ kind: 'equals', column, value: text }),
  }
}

function timeField(column: TimeColumn, nullTest: Condition): Field {
  return {
    comparators: [...equality, ...order],
    null_test: nullTest,
    has_presence: true,
    compare(comparator, value) {
      const seconds = numberOf(value)
      if (seconds === null || !Number.isInteger(seconds) || Math.abs(seconds) > filter_time_seconds_max) {
        const reason = `${column} is compared with whole Unix seconds or null, not with ${excerpt(value.text)}`
        throw new FilterFault(reason, value.position)
      }
      return { kind: 'time', column, comparator: comparator === ':' ? '=' : comparator, seconds }
    },
  }
}

function comparePriority(comparator: Order | '=' | ':', value: Literal): Condition {
  const rank = priorities.indexOf(value.text)
  if (rank >= 0) return { kind: 'rank', comparator: comparator === ':' ? '=' : comparator, rank }
  if (comparator === '=' || comparator === ':') return { kind: 'equals', column: 'priority', value: value.text }
  throw new FilterFault(`${excerpt(value.text)} is no priority; there are ${priorities.join(', ')}`, value.position)
}

function compareArchived(_: Comparator, value: Literal): Condition {
  const truth = truthOf(value)
  if (truth !== null) return { kind: 'archived', value: truth }
  throw new FilterFault(`is_archived is compared with true or false, not with ${excerpt(value.text)}`, value.position)
}

function customField(key: string): Field {
  const custom = (test: CustomTest): Condition => ({ kind: 'custom', key, test })
  return {
    comparators: [...equality, ...order],
    null_test: custom({ kind: 'absent' }),
    has_presence: true,
    compare(comparator, value) {
      const number = numberOf(value)
      const truth = truthOf(value)
      if (comparator === '=') return custom({ kind: 'equals', value: { text: value.text, number, truth } })
      if (comparator === ':') return custom({ kind: 'has', value: { text: value.text, number, truth } })
      if (truth === null) return custom({ kind: 'order', comparator, value: number ?? value.text })
      throw new FilterFault('true and false have no order', value.position)
    },
  }
}

function unfit({ path, comparator, comparator_position }: Comparison, { comparators }: Field): FilterFault {
  const withNull = comparators.includes('=') ? '' : ', and = and != with null'
  const reason = `${path.join('.')} does not take ${comparator}; it takes ${comparators.join(' ')}${withNull}`
  return new FilterFault(reason, comparator_position)
}

function not(operand: Condition): Condition {
  return { kind: 'not', operand }
}

function isNull({ text, quoted }: Literal): boolean {
  return !quoted && text === 'null'
}

function truthOf({ text, quoted }: Literal): boolean | null {
  return quoted || (text !== 'true' && text !== 'false') ? null : text === 'true'
}

/** The number that an unquoted literal spells; null when it spells none. FilterFault beyond what a number can be. */
function numberOf({ text, quoted, position }: Literal): number | null {
  if (quoted || !number_form.test(text)) return null
  const number = Number(text)
  if (Number.isFinite(number)) return number
  throw new FilterFault('This number is too large', position)
}
