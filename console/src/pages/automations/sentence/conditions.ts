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
  'creator.id',
  'project',
  'title',
  'due_at',
] as const

const custom = 'custom_fields.'

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
  if (property === 'labels' || property === 'title') return ['has', 'has_not']
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
  if (property === 'labels') return not ? `!(${literal(first)} in ${path})` : `${literal(first)} in ${path}`
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
    const pair = parts[i + 1] === undefined ? null : pairOf(`${parts[i]} && ${parts[i + 1]}`)
    if (pair !== null) i++
    chips.push(pair ?? testOf(parts[i] ?? '') ?? { formula: parts[i] ?? '' })
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

const root = '(task|event\\.data\\.object|before)'
const plain = `${root}\\.(status|priority|assignee|creator\\.id|project|title|due_at|labels)`
const field = `${root}\\.(custom_fields\\.[a-z][a-z0-9_]*)`
const text = `'(?:[^'\\\\]|\\\\.)*'|"(?:[^"\\\\]|\\\\.)*"`
const value = `${text}|-?\\d+(?:\\.\\d+)?|true|false`

const comparing = new RegExp(`^${plain} ?(==|!=) ?(null|${text})$`, 's')
const within = new RegExp(`^(!\\()?${plain} in \\[(.*)\\](\\))?$`, 's')
const labeled = new RegExp(`^(!\\()?(${text}) in ${root}\\.(labels)(\\))?$`, 's')
const containing = new RegExp(`^(!)?${root}\\.(title)\\.contains\\((${text})\\)$`, 's')
const having = new RegExp(`^(!)?has\\(${field}\\)$`)
const overdue = new RegExp(`^${root}\\.(due_at) != null && int\\(${root}\\.due_at\\) < now$`)
const customs = new RegExp(`^has\\(${field}\\) && ${field} ?(==|>|<) ?(${value})$`, 's')
const customWithin = new RegExp(`^has\\(${field}\\) && ${field} in \\[(.*)\\]$`, 's')
const customLabeled = new RegExp(`^has\\(${field}\\) && (${text}) in ${field}$`, 's')

function testOf(part: string): Test | null {
  const compared = comparing.exec(part)
  if (compared !== null) return comparedTest(compared)
  const many = within.exec(part)
  if (many !== null) {
    const [, open, from = '', property = '', list = '', close] = many
    const values = valuesOf(list)
    if (!open !== !close || values === null || property === 'labels' || property === 'title') return null
    return made(from, property, open ? 'is_not' : 'is', values)
  }
  const label = labeled.exec(part)
  if (label !== null) {
    const [, open, name = '', from = '', property = '', close] = label
    return !open === !close ? made(from, property, open ? 'has_not' : 'has', readValues([name])) : null
  }
  const contained = containing.exec(part)
  if (contained !== null) {
    const [, not, from = '', property = '', words = ''] = contained
    return made(from, property, not ? 'has_not' : 'has', readValues([words]))
  }
  return customTestOf(part)
}

function comparedTest([, from = '', property = '', sign, given = '']: RegExpExecArray): Test | null {
  if (given === 'null') return made(from, property, sign === '==' ? 'not_set' : 'set', [])
  if (property === 'labels' || property === 'title' || property === 'due_at') return null
  return made(from, property, sign === '==' ? 'is' : 'is_not', readValues([given]))
}

function customTestOf(part: string): Test | null {
  const had = having.exec(part)
  if (had !== null) return made(had[2] ?? '', had[3] ?? '', had[1] ? 'not_set' : 'set', [])
  const negated = /^!\((.*)\)$/s.exec(part)?.[1]
  const inner = negated === undefined ? null : pairOf(negated)
  if (inner === null || !isCustom(inner.property)) return null
  if (inner.operator === 'is') return { ...inner, operator: 'is_not' }
  return inner.operator === 'has' ? { ...inner, operator: 'has_not' } : null
}

function pairOf(parts: string): Test | null {
  const late = overdue.exec(parts)
  if (late !== null) return late[1] === late[3] ? made(late[1] ?? '', 'due_at', 'past', []) : null
  const compared = customs.exec(parts)
  if (compared !== null) {
    const [, from = '', property = '', again, same, sign = '', given = ''] = compared
    const operator = sign === '>' ? 'more' : sign === '<' ? 'less' : 'is'
    return from === again && property === same ? made(from, property, operator, readValues([given])) : null
  }
  const many = customWithin.exec(parts)
  if (many !== null) {
    const [, from = '', property = '', again, same, list = ''] = many
    return from === again && property === same ? made(from, property, 'is', valuesOf(list)) : null
  }
  const [, from = '', property = '', given = '', again, same] = customLabeled.exec(parts) ?? []
  return from !== '' && from === again && property === same ? made(from, property, 'has', readValues([given])) : null
}

function made(from: string, property: string, operator: Operator, values: readonly ChipValue[] | null): Test | null {
  return values === null ? null : { root: from as Root, property, operator, values }
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

const whole = new RegExp(`^(?:${value})$`, 's')

function readValues(literals: readonly string[]): readonly ChipValue[] | null {
  const values = literals.map(readValue)
  return values.every((each) => each !== null) ? values : null
}

/** Escapes other than of quotes and backslashes are left to formulas. */
function readValue(given: string): ChipValue | null {
  if (!whole.test(given)) return null
  if (given === 'true' || given === 'false') return given === 'true'
  if (!/^['"]/.test(given)) return Number(given)
  const inner = given.slice(1, -1)
  return /\\[^'"\\]/.test(inner.replaceAll('\\\\', '')) ? null : inner.replaceAll(/\\(['"\\])/g, '$1')
}
