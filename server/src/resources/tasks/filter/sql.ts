/**
 * A checked task filter as SQL over the table or alias `tasks` (contract/06#filter-comparisons).
 * Invariants: every value is bound, never part of the text; each condition is true or false, never NULL, so NOT is plain
 * negation; both engines give equal results; columns of times, ids and ranks are compared directly, so indexes can be used.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Dialect, isOneOf } from '../../../db/dialect.ts'
import { normalized } from '../../../lib/normalize.ts'
import type { Condition, CustomTest, CustomValue, ExactColumn, Order, TimeColumn } from './check.ts'

type Bool = RawBuilder<SqlBool>
type Value = RawBuilder<unknown>

/** Maximum number of different letters beyond a to z in a text that is found inside a custom field regardless of case. */
const filter_custom_letters_max = 100

const always = sql<SqlBool>`(1 = 1)`
const never = sql<SqlBool>`(1 = 0)`
const nullable = new Set<ExactColumn | TimeColumn>([
  'description',
  'assignee',
  'project',
  'column',
  'parent',
  'start_at',
  'due_at',
  'completed_at',
])

/**
 * A text as stored in `title_folded` and `description_folded`: composed, in lowercase as in JavaScript. Earlier versions
 * stored it without composing it. Source: contract/06#filter-comparisons.
 */
export function foldText(text: string): string {
  // Characters up to U+00FF are composed already.
  return lowerText(beyond_latin1.test(text) ? normalized(text, 'NFC') : text)
}

const beyond_latin1 = /[^\0-\xff]/

/** A text as it is searched for; the filter names each of its forms (check.ts). */
export function lowerText(text: string): string {
  return text.toLowerCase()
}

/** The condition for WHERE, two-valued and in parentheses. Source: contract/06#filter-comparisons. */
export function filterToSql(condition: Condition, dialect: Dialect): Bool {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return joined(condition.kind, condition.operands, dialect)
    case 'not':
      return sql<SqlBool>`(not ${filterToSql(condition.operand, dialect)})`
    case 'constant':
      return condition.holds ? always : never
    case 'parent_elsewhere':
      return parentElsewhere(dialect, sql`${JSON.stringify(condition.projects)}`)
    case 'phrase':
      return anyOf([contains('title', condition.text, dialect), contains('description', condition.text, dialect)])
    case 'null':
      return sql<SqlBool>`(${tasks(condition.column)} is null)`
    case 'equals':
      return present(condition.column, sql`${tasks(condition.column)} = ${condition.value}`)
    case 'contains':
      return contains(condition.column, condition.text, dialect)
    case 'title_order':
      return sql<SqlBool>`(${tasks('title')} ${sign(condition.comparator)} ${condition.value})`
    case 'rank':
      return sql<SqlBool>`(${tasks('priority_rank')} ${sign(condition.comparator)} ${condition.rank})`
    case 'time':
      return present(condition.column, timeRange(condition))
    case 'archived':
      // A literal: the partial index of archived tasks does not match a bound value.
      return sql<SqlBool>`(${tasks('is_archived')} = ${sql.lit(condition.value ? 1 : 0)})`
    case 'label':
      return engines[dialect].listHas(tasks('labels'), condition.value)
    case 'assigned':
      return present('assignee', isOneOf(dialect, 'tasks.assignee', sql`${JSON.stringify(condition.users)}`))
    case 'unlabelled':
      return engines[dialect].listIsEmpty(tasks('labels'))
    case 'custom':
      return custom(condition.key, condition.test, dialect)
    case 'reference':
      throw new Error('references.ts replaces references before a query is made')
  }
}

/** Whether a task has no parent in the projects of a JSON array: it has none at all, or one that a guest does not see. */
export function parentElsewhere(dialect: Dialect, projects: unknown): Bool {
  return sql<SqlBool>`(not exists (select 1 from tasks as above where above.realm = ${tasks('realm')}
      and above.id = ${tasks('parent')} and above.deleted_at is null and ${isOneOf(dialect, 'above.project', projects)}))`
}

function joined(word: 'and' | 'or', operands: Condition[], dialect: Dialect): Bool {
  if (operands.length === 0) return word === 'and' ? always : never
  const parts = operands.map((operand) => filterToSql(operand, dialect))
  return word === 'or' ? anyOf(parts) : sql<SqlBool>`(${sql.join(parts, sql` and `)})`
}

function anyOf(parts: Bool[]): Bool {
  return sql<SqlBool>`(${sql.join(parts, sql` or `)})`
}

/** A test that is false where the column is null. With `coalesce` the index could not be used. */
function present(column: ExactColumn | TimeColumn, test: Value): Bool {
  return nullable.has(column) ? sql<SqlBool>`(${tasks(column)} is not null and ${test})` : sql<SqlBool>`(${test})`
}

function contains(column: 'title' | 'description', text: string, dialect: Dialect): Bool {
  const found = engines[dialect].holds(tasks(`${column}_folded`), lowerText(text))
  return column === 'title' ? found : sql<SqlBool>`(${tasks('description_folded')} is not null and ${found})`
}

/** Compares a column of milliseconds with a period of seconds, as a range. */
function timeRange(condition: Condition & { kind: 'time' }): Value {
  const { comparator } = condition
  const time = tasks(condition.column)
  const from = condition.from * 1000
  const end = condition.until * 1000
  switch (comparator) {
    case '=':
      return sql`${time} >= ${from} and ${time} < ${end}`
    case '<':
      return sql`${time} < ${from}`
    case '<=':
      return sql`${time} < ${end}`
    case '>':
      return sql`${time} >= ${end}`
    case '>=':
      return sql`${time} >= ${from}`
  }
}

/** The test of a custom field for each type of its value; a missing type never matches. */
type Cases = { text?: (text: Value) => Bool; number?: (number: Value) => Bool; truth?: boolean | null; list?: string }

function custom(key: string, test: CustomTest, dialect: Dialect): Bool {
  const engine = engines[dialect]
  switch (test.kind) {
    case 'absent':
      return engine.customIsAbsent(key)
    case 'equals':
      return engine.custom(key, { ...scalars(test.value, engine), text: (text) => sql`${text} = ${test.value.text}` })
    case 'has':
      return engine.custom(key, {
        ...scalars(test.value, engine),
        text: (text) => engine.holds(foldedText(text, test.value.text, dialect), lowerText(test.value.text)),
        list: test.value.text,
      })
    case 'order': {
      const { comparator, value } = test
      if (typeof value === 'number') {
        return engine.custom(key, { number: (number) => sql`${number} ${sign(comparator)} ${engine.number(value)}` })
      }
      return engine.custom(key, { text: (text) => sql`${engine.binary(text)} ${sign(comparator)} ${value}` })
    }
  }
}

function scalars({ number, truth }: CustomValue, engine: Engine): Cases {
  if (number === null) return { truth }
  return { truth, number: (found) => sql`${found} = ${engine.number(number)}` }
}

/**
 * A text without a folded column, in lowercase as far as the search for `needle` needs it. The engines' lower() agree only
 * on A to Z, so the uppercase form of each other letter of the needle is replaced.
 */
export function foldedText(text: Value, needle: string, dialect: Dialect): Value {
  const letters = new Set([...lowerText(needle)].filter((letter) => letter > '\u007f' && capitalOf(letter) !== null))
  let folded: Value = sql`lower(${engines[dialect].binary(text)})`
  for (const letter of [...letters].slice(0, filter_custom_letters_max)) {
    folded = sql`replace(${folded}, ${capitalOf(letter)}, ${letter})`
  }
  return folded
}

function capitalOf(letter: string): string | null {
  const capital = letter.toUpperCase()
  return capital !== letter && capital.toLowerCase() === letter ? capital : null
}

function tasks(column: string): Value {
  return sql.ref(`tasks.${column}`)
}

function sign(comparator: Order | '='): Value {
  return signs[comparator]
}

const signs = { '=': sql`=`, '<': sql`<`, '<=': sql`<=`, '>': sql`>`, '>=': sql`>=` }

/** All SQL that differs between the engines. Texts compare by code point: BINARY in SQLite, COLLATE "C" in PostgreSQL. */
type Engine = {
  /** Whether a text (not null) contains another. */
  holds(text: Value, part: string): Bool
  /** Whether a JSON array contains a text. */
  listHas(list: Value, text: string): Bool
  listIsEmpty(list: Value): Bool
  binary(text: Value): Value
  number(number: number): Value
  customIsAbsent(key: string): Bool
  custom(key: string, cases: Cases): Bool
}

const sqlite: Engine = {
  holds: (text, part) => sql<SqlBool>`(instr(${text}, ${part}) > 0)`,
  listHas: (list, text) => sql<SqlBool>`exists (select 1 from json_each(${list}) where json_each.value = ${text})`,
  listIsEmpty: (list) => sql<SqlBool>`(json_array_length(${list}) = 0)`,
  binary: (text) => text,
  number: (number) => sql`${number}`,
  customIsAbsent: (key) =>
    sql<SqlBool>`(coalesce(json_type(${tasks('custom_fields')}, ${`$.${key}`}), 'null') = 'null')`,
  custom(key, { text, number, truth, list }) {
    const path = `$.${key}`
    const value = sql`json_extract(${tasks('custom_fields')}, ${path})`
    return sql<SqlBool>`(case json_type(${tasks('custom_fields')}, ${path})
      when 'text' then ${text?.(value) ?? never}
      when 'integer' then ${number?.(value) ?? never}
      when 'real' then ${number?.(value) ?? never}
      when 'true' then ${truth === true ? always : never}
      when 'false' then ${truth === false ? always : never}
      when 'array' then ${list === undefined ? never : sqlite.listHas(value, list)}
      else ${never} end)`
  },
}

const postgres: Engine = {
  holds: (text, part) => sql<SqlBool>`(strpos(${text}, ${part}) > 0)`,
  listHas: (list, text) => sql<SqlBool>`(${list}::jsonb @> to_jsonb(${text}::text))`,
  listIsEmpty: (list) => sql<SqlBool>`(jsonb_array_length(${list}::jsonb) = 0)`,
  binary: (text) => sql`(${text} collate "C")`,
  number: (number) => sql`${String(number)}::numeric`,
  customIsAbsent: (key) => sql<SqlBool>`(coalesce(jsonb_typeof(${customOf(key)}), 'null') = 'null')`,
  // CASE, because PostgreSQL refuses to cast a value that is not a number.
  custom(key, { text, number, truth, list }) {
    const value = sql`(${tasks('custom_fields')}::jsonb ->> ${key}::text)`
    return sql<SqlBool>`(case jsonb_typeof(${customOf(key)})
      when 'string' then ${text?.(value) ?? never}
      when 'number' then ${number?.(sql`${value}::numeric`) ?? never}
      when 'boolean' then ${typeof truth === 'boolean' ? sql`${value} = ${String(truth)}` : never}
      when 'array' then ${list === undefined ? never : postgres.listHas(customOf(key), list)}
      else ${never} end)`
  },
}

function customOf(key: string): Value {
  return sql`(${tasks('custom_fields')}::jsonb -> ${key}::text)`
}

const engines: Readonly<Record<Dialect, Engine>> = { sqlite, postgres }
