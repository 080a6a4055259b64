/**
 * Checks a parsed task filter (parse.ts) against the fields of a task (contract/06#filter-comparisons). A value that no
 * task can have is refused. A name of a person, project or column becomes a `reference`, which references.ts replaces by
 * the id.
 */
import { nearest } from '../../../lib/nearest.ts'
import { normalized } from '../../../lib/normalize.ts'
import { task_priorities, task_statuses } from '../task.ts'
import { answerFault, type Comparison, type Expression, type FilterError, type Literal, parseFilter } from './parse.ts'
import { type Period, readPeriod, secondOf, time_forms } from './times.ts'
import { type Comparator, excerpt, FilterFault } from './tokens.ts'

export type Order = '<' | '<=' | '>' | '>='
export type TimeColumn = 'created' | 'updated' | 'start_at' | 'due_at' | 'completed_at'
type NullableColumn =
  | 'description'
  | 'assignee'
  | 'project'
  | 'column'
  | 'parent'
  | 'start_at'
  | 'due_at'
  | 'completed_at'
export type ReferenceColumn = 'assignee' | 'project' | 'column' | 'parent' | 'team'
export type ExactColumn =
  | 'title'
  | 'description'
  | 'status'
  | 'priority'
  | 'assignee'
  | 'project'
  | 'column'
  | 'parent'
  | 'key'

/** The types that a custom field's value may have; `number` and `truth` are null if it can only be text. */
export type CustomValue = { text: string; number: number | null; truth: boolean | null }

export type CustomTest =
  | { kind: 'absent' }
  | { kind: 'equals' | 'has'; value: CustomValue }
  | { kind: 'order'; comparator: Order; value: string | number }

/** A person, project, column or task named by something other than its id, or a team. */
export type Reference = { kind: 'reference'; column: ReferenceColumn; text: string; quoted: boolean; position: number }

/** A filter that is true or false for every task, never null. */
export type Condition =
  | { kind: 'and' | 'or'; operands: Condition[] }
  | { kind: 'not'; operand: Condition }
  | { kind: 'constant'; holds: boolean }
  /** The task has no parent in these projects, which are those of a guest. */
  | { kind: 'parent_elsewhere'; projects: readonly string[] }
  | { kind: 'phrase'; text: string }
  | { kind: 'null'; column: NullableColumn }
  | { kind: 'equals'; column: ExactColumn; value: string }
  | { kind: 'contains'; column: 'title' | 'description'; text: string }
  | { kind: 'title_order'; comparator: Order; value: string }
  | { kind: 'rank'; comparator: Order | '='; rank: number }
  /** In seconds, from `from` (inclusive) to `until` (exclusive). */
  | { kind: 'time'; column: TimeColumn; comparator: Order | '='; from: number; until: number }
  | { kind: 'archived'; value: boolean }
  | { kind: 'label'; value: string }
  | { kind: 'unlabelled' }
  /** One of the people is the assignee. */
  | { kind: 'assigned'; users: readonly string[] }
  | { kind: 'custom'; key: string; test: CustomTest }
  | Reference

/** `names_is_archived`: the filter replaces the default of active tasks only. */
export type CheckedFilter = { ok: true; condition: Condition; names_is_archived: boolean }

/** The range of JavaScript's Date in seconds, in which milliseconds are exact. */
const filter_time_seconds_max = 8_640_000_000_000

const key_form = /^[A-Z]{2,6}-[1-9]\d{0,15}$/
const custom_key = /^[a-z][a-z0-9_]{0,39}$/
const number_form = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/
const never: Condition = { kind: 'constant', holds: false }

/** How a field is compared: its comparators besides those with null, its null test (null if it takes none), and its comparison. */
type Field = {
  comparators: Comparator[]
  null_test: Condition | null
  /** `:*` matches any value; in other comparisons a star is text. */
  has_presence: boolean
  compare(comparator: Order | '=' | ':', value: Literal, now: number): Condition
}

const equality: Comparator[] = ['=', '!=', ':', 'IN']
const order: Comparator[] = ['<', '<=', '>', '>=']

const fields = new Map<string, Field>([
  ['title', textField('title')],
  ['description', textField('description')],
  ['status', { comparators: equality, null_test: never, has_presence: true, compare: compareStatus }],
  [
    'priority',
    { comparators: [...equality, ...order], null_test: never, has_presence: true, compare: comparePriority },
  ],
  ['assignee', referenceField('assignee')],
  ['project', referenceField('project')],
  ['column', referenceField('column')],
  ['parent', referenceField('parent')],
  [
    'team',
    {
      comparators: equality,
      null_test: null,
      has_presence: false,
      // Its people are looked up, also of an id.
      compare: (_, { text, quoted, position }) => ({ kind: 'reference', column: 'team', text, quoted, position }),
    },
  ],
  [
    'labels',
    {
      comparators: [':', 'IN'],
      null_test: { kind: 'unlabelled' },
      has_presence: true,
      compare: (_, { text }) => inEachForm(text, (value) => ({ kind: 'label', value })),
    },
  ],
  ['key', { comparators: equality, null_test: never, has_presence: true, compare: compareKey }],
  ['created', timeField('created', never)],
  ['updated', timeField('updated', never)],
  ['start_at', timeField('start_at', { kind: 'null', column: 'start_at' })],
  ['due_at', timeField('due_at', { kind: 'null', column: 'due_at' })],
  ['completed_at', timeField('completed_at', { kind: 'null', column: 'completed_at' })],
  ['is_archived', { comparators: equality, null_test: never, has_presence: true, compare: compareArchived }],
])

/**
 * Parses and checks the text of a filter. Syntax errors, unknown fields, comparators that a field does not have and
 * impossible values are returned as a message for the caller and a 1-based position. Never throws. `now` is in milliseconds.
 * Source: contract/06#filter-fields.
 */
export function readFilter(text: string, now: number): CheckedFilter | FilterError {
  const parsed = parseFilter(text)
  return parsed.ok ? checkFilter(parsed.expression, now) : parsed
}

/** The condition of a parsed filter, or its fault. Never throws (contract/06#filter-comparisons). */
function checkFilter(expression: Expression, now: number): CheckedFilter | FilterError {
  return answerFault(() => ({
    ok: true,
    condition: meaning(expression, now),
    names_is_archived: namesIsArchived(expression),
  }))
}

/** The recursion is as deep as the parser allows parentheses. */
function meaning(expression: Expression, now: number): Condition {
  switch (expression.kind) {
    case 'and':
      refuseLostPlus(expression.operands)
      return { kind: 'and', operands: expression.operands.map((operand) => meaning(operand, now)) }
    case 'or':
      return { kind: 'or', operands: expression.operands.map((operand) => meaning(operand, now)) }
    case 'not':
      return not(meaning(expression.operand, now))
    case 'phrase':
      return inEachForm(expression.text, (text) => ({ kind: 'phrase', text }))
    case 'comparison':
      return compare(expression, now)
  }
}

function namesIsArchived(expression: Expression): boolean {
  if (expression.kind === 'comparison') return expression.path.join('.') === 'is_archived'
  if (expression.kind === 'not') return namesIsArchived(expression.operand)
  return expression.kind !== 'phrase' && expression.operands.some(namesIsArchived)
}

/** In a URL an unencoded `+` is a space: `due_at < today+2w` would search for the word `2w`. */
function refuseLostPlus(operands: readonly Expression[]): void {
  for (const [i, left] of operands.entries()) {
    const right = operands[i + 1]
    if (left.kind !== 'comparison' || right?.kind !== 'phrase' || !/^\d{1,6}[hdw]$/.test(right.text)) continue
    const { text, quoted, position } = left.value
    if (quoted || (text !== 'now' && text !== 'today') || right.position !== position + text.length + 1) continue
    const advice = `Write ${text}+${right.text}; in a URL, encode + as %2B.`
    throw new FilterFault(`"${text} ${right.text}" has a space`, position, advice)
  }
}

function compare(comparison: Comparison, now: number): Condition {
  const { comparator, value } = comparison
  const field = fieldOf(comparison)
  const { null_test } = field
  if (isNull(value) && null_test === null)
    throw new FilterFault(`${comparison.path.join('.')} cannot be null`, value.position)
  if (isNull(value) && null_test !== null && (comparator === '=' || comparator === 'IN')) return null_test
  if (isNull(value) && null_test !== null && comparator === '!=') return not(null_test)
  if (!field.comparators.includes(comparator)) throw unfit(comparison, field)
  if (isNull(value)) return never
  const isPresence = comparator === ':' && value.text === '*' && !value.quoted
  if (isPresence && null_test !== null && field.has_presence) return not(null_test)
  if (comparator === '!=') return not(field.compare('=', value, now))
  const member = field.comparators.includes('=') ? '=' : ':'
  return field.compare(comparator === 'IN' ? member : comparator, value, now)
}

function fieldOf({ path, position }: Comparison): Field {
  const [name, key] = path
  if (name === 'custom_fields') {
    if (key !== undefined && path.length === 2 && custom_key.test(key)) return customField(key)
    const form = 'a lowercase letter, then at most 39 of a-z, 0-9 and _'
    throw new FilterFault(`Write a custom field as custom_fields.<key>; a key is ${form}`, position)
  }
  const field = name !== undefined && path.length === 1 ? fields.get(name) : undefined
  if (field) return field
  const names = [...fields.keys(), 'custom_fields.<key>']
  throw new FilterFault(`Cannot filter by ${excerpt(path.join('.'))}`, position, wordsAdvice(path.join('.'), names))
}

/**
 * The test of a text in the forms in which it may be stored: as sent, composed and decomposed. Stored texts are not
 * normalized (contract/06#filter-comparisons).
 */
function inEachForm(text: string, test: (form: string) => Condition): Condition {
  const forms = [...new Set([text, normalized(text, 'NFC'), normalized(text, 'NFD')])]
  return forms.length === 1 ? test(text) : { kind: 'or', operands: forms.map(test) }
}

function textField(column: 'title' | 'description'): Field {
  return {
    comparators: column === 'title' ? [...equality, ...order] : equality,
    null_test: column === 'title' ? never : { kind: 'null', column },
    has_presence: false,
    compare(comparator, { text }) {
      if (comparator === ':') return inEachForm(text, (form) => ({ kind: 'contains', column, text: form }))
      return comparator === '='
        ? inEachForm(text, (value) => ({ kind: 'equals', column, value }))
        : { kind: 'title_order', comparator, value: text }
    },
  }
}

function referenceField(column: Exclude<ReferenceColumn, 'team'>): Field {
  const nullTest: Condition = { kind: 'null', column }
  return {
    comparators: equality,
    null_test: nullTest,
    has_presence: true,
    compare(_, { text, quoted, position }) {
      if (text === 'none' && !quoted) return nullTest
      if (isIdFor(column, text)) return { kind: 'equals', column, value: text }
      return { kind: 'reference', column, text, quoted, position }
    },
  }
}

const id_forms = {
  assignee: /^usr_[0-9A-Za-z]{1,156}$/,
  project: /^prj_[0-9A-Za-z]{1,156}$/,
  column: /^col_[0-9A-Za-z]{1,156}$/,
  parent: /^tsk_[0-9A-Za-z]{1,156}$/,
  team: /^team_[0-9A-Za-z]{1,156}$/,
}

/** Whether a text has the form of the column's ids. The object need not exist. */
export function isIdFor(column: ReferenceColumn, text: string): boolean {
  return id_forms[column].test(text)
}

function timeField(column: TimeColumn, nullTest: Condition): Field {
  return {
    comparators: [...equality, ...order],
    null_test: nullTest,
    has_presence: true,
    compare(comparator, value, now) {
      const { from, until } = periodOf(column, value, now)
      return { kind: 'time', column, comparator: comparator === ':' ? '=' : comparator, from, until }
    },
  }
}

function periodOf(column: TimeColumn, value: Literal, now: number): Period {
  const seconds = numberOf(value)
  const period = seconds === null ? readPeriod(value.text, now) : Number.isInteger(seconds) ? secondOf(seconds) : null
  if (period !== null && Math.abs(period.from) <= filter_time_seconds_max) return period
  throw new FilterFault(`${column} cannot be ${excerpt(value.text)}`, value.position, `Use ${time_forms}.`)
}

function compareStatus(_: Comparator, { text, position }: Literal): Condition {
  requireWord('status', text, position, task_statuses)
  return { kind: 'equals', column: 'status', value: text }
}

function comparePriority(comparator: Order | '=' | ':', { text, position }: Literal): Condition {
  requireWord('priority', text, position, task_priorities)
  const rank = (task_priorities as readonly string[]).indexOf(text)
  return { kind: 'rank', comparator: comparator === ':' ? '=' : comparator, rank }
}

function requireWord(field: string, text: string, position: number, words: readonly string[]): void {
  if (!words.includes(text))
    throw new FilterFault(`${field} cannot be ${excerpt(text)}`, position, wordsAdvice(text, words))
}

/** Names the accepted words, and the nearest one if it is similar. */
function wordsAdvice(text: string, words: readonly string[]): string {
  const meant = nearest(text.toLowerCase(), words)
  return `${meant === null ? '' : `Did you mean ${meant}? `}Use ${words.slice(0, -1).join(', ')} or ${words.at(-1)}.`
}

function compareKey(_: Comparator, { text, position }: Literal): Condition {
  const key = text.toUpperCase()
  if (key_form.test(key)) return { kind: 'equals', column: 'key', value: key }
  throw new FilterFault(`key cannot be ${excerpt(text)}`, position, 'Use the key of a task, such as KEP-42.')
}

function compareArchived(_: Comparator, value: Literal): Condition {
  const truth = truthOf(value)
  if (truth !== null) return { kind: 'archived', value: truth }
  throw new FilterFault(`is_archived cannot be ${excerpt(value.text)}`, value.position, 'Use true or false.')
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
      const inForms = (kind: 'equals' | 'has') =>
        inEachForm(value.text, (text) => custom({ kind, value: { text, number, truth } }))
      if (comparator === '=') return inForms('equals')
      if (comparator === ':') return inForms('has')
      if (truth === null) return custom({ kind: 'order', comparator, value: number ?? value.text })
      throw new FilterFault('true and false have no order', value.position)
    },
  }
}

function unfit({ path, comparator, comparator_position }: Comparison, field: Field): FilterFault {
  const { comparators, null_test } = field
  const taken = `${comparators.slice(0, -1).join(', ')} and ${comparators.at(-1)}`
  const withNull = comparators.includes('=') || null_test === null ? '' : ', and null with = or !='
  const reason = `${path.join('.')} does not take ${comparator}; it takes ${taken}${withNull}`
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

/** The number that an unquoted literal denotes; null if it is not a number. Throws FilterFault if it is too large. */
function numberOf({ text, quoted, position }: Literal): number | null {
  if (quoted || !number_form.test(text)) return null
  const number = Number(text)
  if (Number.isFinite(number)) return number
  throw new FilterFault('This number is too large', position)
}
