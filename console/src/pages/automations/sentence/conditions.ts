/**
 * Conditions as chips: a property, an operator, values. An expression is read as a list of chips that must all hold; a part that no
 * chip says stays a formula. Pure: it knows neither names nor dates.
 *
 * Invariants: chips → expression → chips is the identity for chips of this page; expression → chips → expression has the same meaning.
 * An expression is rewritten only when its chips are edited.
 */
import { quoted } from '../gallery/recipe.ts'

/** Whose values are compared: the task as it is, the task of the event as it was announced, or that before the change. */
export type Root = 'task' | 'event.data.object' | 'before'

export type Operator = 'is' | 'is_not' | 'has' | 'has_not' | 'set' | 'not_set' | 'more' | 'less' | 'past'

export type ChipValue = string | number | boolean

export interface Test {
  readonly root: Root
  /** `status`, or `custom_fields.size`. */
  readonly property: string
  readonly operator: Operator
  /** Several values of `is` and `is_not` are alternatives; other operators have one or none. */
  readonly values: readonly ChipValue[]
}

export type Chip = Test | { readonly formula: string }

export function isTest(chip: Chip): chip is Test {
  return 'property' in chip
}

/** What a new chip may ask for, in the order of the menu. Custom fields follow. */
export const task_properties = [
  'status',
  'priority',
  'labels',
  'assignee',
  'teams',
  'creator.id',
  'project',
  'title',
  'due_at',
] as const

const custom = 'custom_fields.'

/** Whether a property is a list of values: labels, or the teams of the assignee. */
function isListed(property: string): boolean {
  return property === 'labels' || property === 'teams'
}

export function isCustom(property: string): boolean {
  return property.startsWith(custom)
}

/** The operators of a property. */
export function operatorsOf(property: string, type?: string): readonly Operator[] {
  if (isCustom(property)) {
    if (type === 'number') return ['is', 'is_not', 'more', 'less', 'set', 'not_set']
    if (type === 'multi_select') return ['has', 'has_not', 'set', 'not_set']
    return type === 'date' ? ['set', 'not_set'] : ['is', 'is_not', 'set', 'not_set']
  }
  if (isListed(property) || property === 'title') return ['has', 'has_not']
  if (property === 'due_at') return ['past', 'set', 'not_set']
  return property === 'assignee' || property === 'project' ? ['is', 'is_not', 'set', 'not_set'] : ['is', 'is_not']
}

export function needsValue(operator: Operator): boolean {
  return operator !== 'set' && operator !== 'not_set' && operator !== 'past'
}

// Writing

/** The expression of chips. No chips always hold. */
export function exprOf(chips: readonly Chip[]): string {
  if (chips.length === 0) return 'true'
  const parts = chips.map((chip) => (isTest(chip) ? testText(chip) : chip.formula))
  if (parts.length === 1) return parts[0] ?? 'true'
  return parts.map((part, i) => (isTest(chips[i] as Chip) || !isLoose(part) ? part : `(${part})`)).join(' && ')
}

function testText({ root, property, operator, values }: Test): string {
  const path = `${root}.${property}`
  if (isCustom(property)) return customText(path, operator, values)
  const [first = ''] = values
  if (operator === 'set') return `${path} != null`
  if (operator === 'not_set') return `${path} == null`
  if (operator === 'past') return `${path} != null && int(${path}) < now`
  const not = operator === 'has_not' ? '!' : ''
  if (property === 'title') return `${not}${path}.contains(${literal(first)})`
  if (isListed(property)) return not ? `!(${literal(first)} in ${path})` : `${literal(first)} in ${path}`
  return comparison(path, operator, values)
}

/** A custom field that has no value is missing, which would be an error. */
function customText(path: string, operator: Operator, values: readonly ChipValue[]): string {
  const [first = ''] = values
  if (operator === 'set') return `has(${path})`
  if (operator === 'not_set') return `!has(${path})`
  if (operator === 'has') return `has(${path}) && ${literal(first)} in ${path}`
  if (operator === 'has_not') return `!(has(${path}) && ${literal(first)} in ${path})`
  if (operator === 'more') return `has(${path}) && ${path} > ${literal(first)}`
  if (operator === 'less') return `has(${path}) && ${path} < ${literal(first)}`
  const equal = `has(${path}) && ${comparison(path, 'is', values)}`
  return operator === 'is_not' ? `!(${equal})` : equal
}

function comparison(path: string, operator: Operator, values: readonly ChipValue[]): string {
  const isNot = operator === 'is_not'
  if (values.length === 1) return `${path} ${isNot ? '!=' : '=='} ${literal(values[0] ?? '')}`
  const within = `${path} in [${values.map(literal).join(', ')}]`
  return isNot ? `!(${within})` : within
}

function literal(value: ChipValue): string {
  return typeof value === 'string' ? quoted(value) : String(value)
}

// Reading

/** The chips of an expression, joined by "and". */
export function chipsOf(expr: string): readonly Chip[] {
  const source = expr.trim()
  if (source === 'true' || source === '') return []
  if (isLoose(source)) return [{ formula: source }]
  const parts = splitAnd(source)
  const chips: Chip[] = []
  for (let i = 0; i < parts.length; i++) {
    // Some chips are two parts: `has(task.custom_fields.size) && task.custom_fields.size > 2`.
    const part = parts[i] ?? ''
    const pair = pairOf(part, parts[i + 1] ?? '')
    if (pair !== null) i++
    chips.push(pair ?? testOf(part) ?? { formula: part })
  }
  return chips
}

/** Whether a part needs parentheses beside others: it has an "or" or a choice outside parentheses and texts. */
function isLoose(source: string): boolean {
  let loose = false
  outside(source, (at) => {
    if (source.startsWith('||', at) || source[at] === '?') loose = true
  })
  return loose
}

function splitAnd(source: string): readonly string[] {
  const parts: string[] = []
  let from = 0
  outside(source, (at) => {
    if (!source.startsWith('&&', at) || at < from) return
    parts.push(source.slice(from, at).trim())
    from = at + 2
  })
  return [...parts, source.slice(from).trim()]
}

/** Calls for each place that is in no text, parentheses or brackets. */
function outside(source: string, call: (at: number) => void): void {
  let depth = 0
  for (let i = 0; i < source.length; i++) {
    const char = source[i] ?? ''
    if (char === "'" || char === '"') i = endOfText(source, i)
    else if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth--
    else if (depth === 0) call(i)
  }
}

/** The place of the quote that ends the text. */
function endOfText(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === '\\') i++
    else if (source[i] === source[start]) return i
  }
  return source.length
}

const roots: readonly Root[] = ['task', 'event.data.object', 'before']

interface Path {
  readonly root: Root
  readonly property: string
}

/** The task's field that a path names; null for any other path. */
function pathOf(text: string): Path | null {
  const root = roots.find((each) => text.startsWith(`${each}.`))
  const property = text.slice((root?.length ?? 0) + 1)
  const isKnown = task_properties.some((each) => each === property) || /^custom_fields\.[a-z][a-z0-9_]*$/.test(property)
  // Events say nothing of teams: they are those of the assignee at the time of the run.
  const isThere = root === 'task' || property !== 'teams'
  return root !== undefined && isKnown && isThere ? { root, property } : null
}

/** `!(…)`, whose parentheses end at the end. */
function negated(part: string): string | null {
  if (!part.startsWith('!(') || !part.endsWith(')')) return null
  // Of `!(a) && !(b)` the first parenthesis ends earlier.
  let places = 0
  outside(part, () => places++)
  return places === 1 ? part.slice(2, -1) : null
}

function testOf(part: string): Test | null {
  const inner = negated(part)
  if (inner !== null) return oppositeOf(inner)
  const [, not, had = ''] = /^(!?)has\(([\w.]+)\)$/.exec(part) ?? []
  const path = pathOf(had)
  if (path !== null) return isCustom(path.property) ? made(path, not ? 'not_set' : 'set', []) : null
  return comparedTest(part) ?? withinTest(part) ?? containedTest(part)
}

/** What `!(…)` says: it is written only where no operator of its own does. */
function oppositeOf(inner: string): Test | null {
  const [left = '', right, ...more] = splitAnd(inner)
  if (isLoose(inner) || more.length > 0) return null
  const test = right === undefined ? withinTest(left) : pairOf(left, right)
  if (test === null || (right !== undefined && !isCustom(test.property))) return null
  if (test.operator === 'is') return { ...test, operator: 'is_not' }
  return test.operator === 'has' ? { ...test, operator: 'has_not' } : null
}

/** `task.status == 'done'`. */
function comparedTest(part: string): Test | null {
  const [, name = '', sign, given = ''] = /^([\w.]+) ?([!=]=) ?(\S.*)$/s.exec(part) ?? []
  const path = pathOf(name)
  if (path === null || isCustom(path.property)) return null
  const { property } = path
  if (given === 'null') return made(path, sign === '==' ? 'not_set' : 'set', [])
  if (isListed(property) || property === 'title' || property === 'due_at' || !isText(given)) return null
  return made(path, sign === '==' ? 'is' : 'is_not', readValues([given]))
}

/** `task.status in ['todo', 'done']` and `'bug' in task.labels`. */
function withinTest(part: string): Test | null {
  const at = part.lastIndexOf(' in ')
  const list = /^([\w.]+) in \[(.*)\]$/s.exec(part)
  const path = pathOf(list?.[1] ?? '')
  if (path !== null) {
    const { property } = path
    const isList = isListed(property) || property === 'title' || isCustom(property)
    return isList ? null : made(path, 'is', valuesOf(list?.[2] ?? ''))
  }
  const listed = pathOf(part.slice(at + 4))
  const given = part.slice(0, Math.max(0, at))
  return listed !== null && isListed(listed.property) && isText(given) ? made(listed, 'has', readValues([given])) : null
}

/** `task.title.contains('door')`. */
function containedTest(part: string): Test | null {
  const [, not, name = '', given = ''] = /^(!?)([\w.]+)\.contains\((.+)\)$/s.exec(part) ?? []
  const path = pathOf(name)
  if (path?.property !== 'title' || !isText(given)) return null
  return made(path, not ? 'has_not' : 'has', readValues([given]))
}

/** A chip that two parts say: the first, that there is a value. */
function pairOf(left: string, right: string): Test | null {
  const due = pathOf(/^([\w.]+) != null$/.exec(left)?.[1] ?? '')
  if (due?.property === 'due_at') {
    return right === `int(${due.root}.due_at) < now` ? made(due, 'past', []) : null
  }
  const name = /^has\(([\w.]+)\)$/.exec(left)?.[1] ?? ''
  const path = pathOf(name)
  if (path === null || !isCustom(path.property)) return null
  if (right.startsWith(`${name} in [`) && right.endsWith(']')) {
    return made(path, 'is', valuesOf(right.slice(`${name} in [`.length, -1)))
  }
  if (right.endsWith(` in ${name}`)) {
    const given = right.slice(0, -` in ${name}`.length)
    return isText(given) ? made(path, 'has', readValues([given])) : null
  }
  const [, sign, given = ''] = right.startsWith(name)
    ? (/^ ?(==|>|<) ?(\S.*)$/s.exec(right.slice(name.length)) ?? [])
    : []
  if (sign === undefined) return null
  return made(path, sign === '>' ? 'more' : sign === '<' ? 'less' : 'is', readValues([given]))
}

function made(path: Path, operator: Operator, values: readonly ChipValue[] | null): Test | null {
  return values === null ? null : { ...path, operator, values }
}

/** The values of a list; null if one is no literal, or there are too few to be a list of alternatives. */
function valuesOf(list: string): readonly ChipValue[] | null {
  const items: string[] = []
  let from = 0
  outside(list, (at) => {
    if (list[at] !== ',') return
    items.push(list.slice(from, at).trim())
    from = at + 1
  })
  const all = [...items, list.slice(from).trim()]
  return all.length < 2 ? null : readValues(all)
}

function readValues(literals: readonly string[]): readonly ChipValue[] | null {
  const values = literals.map(readValue)
  return values.every((each) => each !== null) ? values : null
}

/** Whether it is one text: the quote at its end ends the one at its beginning. */
function isText(given: string): boolean {
  return /^['"]/.test(given) && endOfText(given, 0) === given.length - 1
}

/** Escapes other than of quotes and backslashes are left to formulas. */
function readValue(given: string): ChipValue | null {
  if (given === 'true' || given === 'false') return given === 'true'
  if (/^-?\d+(?:\.\d+)?$/.test(given)) return Number(given)
  if (!isText(given)) return null
  const inner = given.slice(1, -1)
  return /\\[^'"\\]/.test(inner.replaceAll('\\\\', '')) ? null : inner.replaceAll(/\\(['"\\])/g, '$1')
}
