/**
 * Translates between the text of a task filter and chips (property, operator, values), both ways. A part that no chip can
 * say stays as text. Pure: it knows neither names nor dates.
 *
 * Invariants: chips → text → chips is the identity for tidy chips; text → chips → text has the same meaning: the same
 * comparisons, joined by AND. A text that is not well-formed becomes one piece of text, unchanged, so that the API explains it.
 */

/** A value as in the text: `todo` unquoted and `"todo"` quoted may mean different things. */
export interface ChipValue {
  readonly text: string
  readonly quoted: boolean
}

export type Operator =
  | 'is'
  | 'is_not'
  | 'any_of'
  | 'none_of'
  | 'contains'
  | 'lacks'
  | 'before'
  | 'until'
  | 'after'
  | 'from'
  | 'within'
  | 'overdue'
  | 'empty'
  | 'not_empty'

export interface Chip {
  /** A field of the filter grammar, or `text`: words in title or description. */
  readonly property: string
  readonly operator: Operator
  /** None for `empty`, `not_empty` and `overdue`; first and last for `within`. */
  readonly values: readonly ChipValue[]
}

export interface FilterParts {
  readonly chips: readonly Chip[]
  /** The rest of the filter as text; empty if the chips say everything. */
  readonly advanced: string
}

/** The field of a chip that searches title and description. */
export const text_property = 'text'

const dates = ['due_at', 'start_at', 'created', 'updated', 'completed_at']
const plain = ['status', 'assignee', 'team', 'project', 'column', 'parent', 'priority', 'is_archived', ...dates]
const searched = ['title', 'description']
const signs: Readonly<Partial<Record<Operator, string>>> = {
  is: '=',
  is_not: '!=',
  contains: ':',
  before: '<',
  until: '<=',
  after: '>',
  from: '>=',
}
const overdue_sets = [
  ['done', 'canceled'],
  ['canceled', 'done'],
].map((set) => set.join())

/** The chips of a filter. Never throws. */
export function chipsOf(text: string): FilterParts {
  const factors = factorsOf(text)
  if (factors === null) return { chips: [], advanced: text.trim() }
  const chips: Chip[] = []
  const rest: string[] = []
  for (const { tokens, source } of factors) {
    const chip = chipOf(tokens)
    if (chip === null) rest.push(source)
    else chips.push(chip)
  }
  return { chips: tidyChips(chips), advanced: rest.join(' ') }
}

/** The text of chips, followed by the text that they cannot say. */
export function textOf({ chips, advanced }: FilterParts): string {
  return [...chips.map(chipText), advanced].filter((part) => part !== '').join(' ')
}

/** Joins the two comparisons of a period, and those of overdue tasks, into one chip each. */
export function tidyChips(chips: readonly Chip[]): readonly Chip[] {
  const tidy: Chip[] = []
  for (const chip of chips) {
    const joined = joinedChip(tidy.at(-1), chip)
    if (joined === null) tidy.push(chip)
    else tidy.splice(-1, 1, joined)
  }
  return tidy
}

function joinedChip(first: Chip | undefined, second: Chip): Chip | null {
  if (first === undefined) return null
  const [from, until] = [first.values[0], second.values[0]]
  if (first.property === second.property && first.operator === 'from' && second.operator === 'until' && from && until) {
    return dates.includes(first.property) || isCustom(first.property)
      ? { property: first.property, operator: 'within', values: [from, until] }
      : null
  }
  const isPast = first.property === 'due_at' && first.operator === 'before' && from?.text === 'now' && !from.quoted
  const isOpen = second.property === 'status' && second.operator === 'none_of' && overdue_sets.includes(wordsOf(second))
  return isPast && isOpen ? { property: 'due_at', operator: 'overdue', values: [] } : null
}

function wordsOf({ values }: Chip): string {
  return values.map(({ text }) => text).join()
}

/** The text of one chip. */
export function chipText({ property, operator, values }: Chip): string {
  const [first = { text: '', quoted: true }, last = first] = values
  const set = `(${values.map(literal).join(', ')})`
  switch (operator) {
    case 'any_of':
      return `${property} IN ${set}`
    case 'none_of':
      return `NOT ${property} IN ${set}`
    case 'within':
      return `${property} >= ${literal(first)} ${property} <= ${literal(last)}`
    case 'overdue':
      return `${property} < now NOT status IN (done, canceled)`
    case 'empty':
      return `${property} = null`
    case 'not_empty':
      return `${property} != null`
    case 'lacks':
      return `NOT ${chipText({ property, operator: 'contains', values })}`
    case 'contains':
      return property === text_property ? literal(first) : `${property}:${literal(first)}`
    case 'is_not':
      if (property === 'labels') return `NOT labels:${literal(first)}`
      return `${property} != ${literal(first)}`
    default:
      return property === 'labels' ? `labels:${literal(first)}` : `${property} ${signs[operator]} ${literal(first)}`
  }
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function literal({ text, quoted }: ChipValue): string {
  if (!quoted) return text
  return `"${text.replace(/["\\]/g, '\\$&').replace(/[\n\r\t]/g, (control) => escapes[control] ?? control)}"`
}

interface Token {
  readonly kind: 'word' | 'quoted' | 'sign' | 'minus' | 'end'
  readonly text: string
  readonly start: number
  readonly end: number
}

interface Factor {
  readonly tokens: readonly Token[]
  readonly source: string
}

// As in the server's tokens.ts, but that a dot belongs to its word.
const patterns = {
  space: /\s*/y,
  quoted: /"(?:[^"\\]|\\["'\\nrt])*"|'(?:[^'\\]|\\["'\\nrt])*'/y,
  instant: /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)(?![^\s"'(),])/iy,
  word: /-(?=["'(])|(?:[^\s"(),:=<>!]|!(?!=))+/y,
  sign: /[<>!]=|[<>=:(),]/y,
}

/** The tokens of a text; null if it has a fault. */
function tokensOf(text: string): readonly Token[] | null {
  const tokens: Token[] = []
  for (let at = matchAt(patterns.space, text, 0).length; at < text.length; ) {
    const token = tokenAt(text, at)
    if (token === null) return null
    const former = tokens.at(-1)
    const touches = former?.end === at
    // A quote directly beside a word is a path or a fault.
    if (touches && token.kind === 'quoted' && (former?.kind === 'word' || former?.kind === 'quoted')) return null
    if (touches && token.kind === 'word' && former?.kind === 'quoted') return null
    tokens.push(token)
    at = token.end + matchAt(patterns.space, text, token.end).length
  }
  return tokens
}

function tokenAt(text: string, start: number): Token | null {
  const of = (kind: Token['kind'], written: string, value = written) => ({
    kind,
    text: value,
    start,
    end: start + written.length,
  })
  const quoted = matchAt(patterns.quoted, text, start)
  if (quoted !== '') return of('quoted', quoted, unescaped(quoted.slice(1, -1)))
  if (text[start] === '"' || text[start] === "'") return null
  const word = matchAt(patterns.instant, text, start) || matchAt(patterns.word, text, start)
  if (word === '-' && /["'(]/.test(text[start + 1] ?? '')) return of('minus', word)
  // Dots are parts of paths, whose rules only the API knows; a minus stands directly before its operand.
  if (word !== '') return /^\.|\.$|\.\.|^-$/.test(word) ? null : of('word', word)
  const sign = matchAt(patterns.sign, text, start)
  return sign === '' ? null : of('sign', sign)
}

function unescaped(text: string): string {
  const meanings: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
  return text.replace(/\\(.)/gs, (_, character: string) => meanings[character] ?? character)
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

const end: Token = { kind: 'end', text: '', start: 0, end: 0 }

/** The parts of a filter that AND joins; null if the text is not well-formed. */
function factorsOf(text: string): readonly Factor[] | null {
  const tokens = tokensOf(text)
  if (tokens === null) return null
  const factors: Factor[] = []
  for (let at = 0; at < tokens.length; ) {
    if (isKeyword(tokens[at], 'AND')) {
      at++
      if (factors.length === 0 || at === tokens.length) return null
    }
    const next = factorEnd(tokens, at)
    if (next === null) return null
    const part = tokens.slice(at, next)
    factors.push({ tokens: part, source: text.slice(part[0]?.start, part.at(-1)?.end) })
    at = next
  }
  return factors
}

/** The end of `term {OR term}`; null if there is no term. */
function factorEnd(tokens: readonly Token[], start: number): number | null {
  let at = termEnd(tokens, start)
  while (at !== null && isKeyword(tokens[at], 'OR')) at = termEnd(tokens, at + 1)
  return at
}

function termEnd(tokens: readonly Token[], start: number): number | null {
  let at = start
  if (isKeyword(tokens[at], 'NOT') || tokens[at]?.kind === 'minus') at++
  if (isSign(tokens[at], '(')) return closing(tokens, at)
  if (!isMember(tokens[at])) return null
  const next = tokens[at + 1] ?? end
  if (isKeyword(next, 'IN') && isSign(tokens[at + 2], '(')) return closing(tokens, at + 2)
  // A word directly before a parenthesis is a function, which is a fault.
  if (isSign(next, '(') && tokens[at]?.kind === 'word' && tokens[at]?.end === next.start) return null
  if (!isComparator(next)) return at + 1
  if (isSign(tokens[at + 2], '(')) return closing(tokens, at + 2)
  return isMember(tokens[at + 2]) && !isComparator(tokens[at + 3]) ? at + 3 : null
}

/** The token after the parenthesis that closes this one; null if none does. */
function closing(tokens: readonly Token[], start: number): number | null {
  let depth = 0
  for (let at = start; at < tokens.length; at++) {
    if (isSign(tokens[at], '(')) depth++
    if (isSign(tokens[at], ')') && --depth === 0) return at + 1
  }
  return null
}

function isMember(token: Token | undefined): boolean {
  return token?.kind === 'quoted' || (token?.kind === 'word' && !/^(?:AND|OR|NOT)$/.test(token.text))
}

function isSign(token: Token | undefined, text: string): boolean {
  return token?.kind === 'sign' && token.text === text
}

function isComparator(token: Token | undefined): boolean {
  return token?.kind === 'sign' && !/^[(),]$/.test(token.text)
}

function isKeyword(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text === text
}

/** The chip of a comparison; null if no chip says it. */
function chipOf(tokens: readonly Token[]): Chip | null {
  const [first = end] = tokens
  const isMinusWord = first.kind === 'word' && first.text.startsWith('-')
  const isNegated = isKeyword(first, 'NOT') || first.kind === 'minus' || isMinusWord
  const body = isMinusWord
    ? [{ ...first, text: first.text.slice(1) }, ...tokens.slice(1)]
    : tokens.slice(isNegated ? 1 : 0)
  const [member = end, sign = end] = body
  // A second negation is a fault, which the API explains.
  if (isNegated && (isKeyword(member, 'NOT') || member.text.startsWith('-'))) return null
  if (body.length === 1) return phraseChip(member, isNegated)
  if (member.kind !== 'word') return null
  if (isKeyword(sign, 'IN')) return setChip(member.text, body.slice(3, -1), isNegated)
  const value = body[2]
  return body.length === 3 && value ? comparisonChip(member.text, sign.text, readValue(value), isNegated) : null
}

function phraseChip(token: Token, isNegated: boolean): Chip | null {
  if (!isMember(token)) return null
  return { property: text_property, operator: isNegated ? 'lacks' : 'contains', values: [readValue(token)] }
}

function setChip(property: string, tokens: readonly Token[], isNegated: boolean): Chip | null {
  const isList = tokens.every((token, i) => (i % 2 === 0 ? isMember(token) : isSign(token, ',')))
  const isKnown = property === 'labels' || isCustom(property) || (plain.includes(property) && !dates.includes(property))
  if (!isKnown || !isList || tokens.length % 2 === 0) return null
  const values = tokens.filter((_, i) => i % 2 === 0).map(readValue)
  return { property, operator: isNegated ? 'none_of' : 'any_of', values }
}

function comparisonChip(property: string, sign: string, value: ChipValue, isNegated: boolean): Chip | null {
  const chip = (operator: Operator): Chip => ({ property, operator, values: [value] })
  if (property === 'labels') {
    if (sign === ':') return isWild(value) ? null : chip(isNegated ? 'is_not' : 'is')
    return isNull(value) && !isNegated ? nullChip(property, sign) : null
  }
  const isField = isCustom(property)
  const canContain = searched.includes(property) || isField
  if (sign === ':') return canContain && (!isField || !isWild(value)) ? chip(isNegated ? 'lacks' : 'contains') : null
  if (isNegated || !(plain.includes(property) || canContain)) return null
  if (isNull(value)) return nullChip(property, sign)
  const operator = (Object.keys(signs) as Operator[]).find((each) => signs[each] === sign)
  if (operator === undefined) return null
  const isOrdered = dates.includes(property) || property === 'priority' || isField
  return isOrdered || operator === 'is' || operator === 'is_not' ? chip(operator) : null
}

function isCustom(property: string): boolean {
  return /^custom_fields\.[a-z0-9_]+$/.test(property)
}

function nullChip(property: string, sign: string): Chip | null {
  if (sign !== '=' && sign !== '!=') return null
  return { property, operator: sign === '=' ? 'empty' : 'not_empty', values: [] }
}

function isWild({ text, quoted }: ChipValue): boolean {
  return text === '*' && !quoted
}

function isNull({ text, quoted }: ChipValue): boolean {
  return text === 'null' && !quoted
}

function readValue({ kind, text }: Token): ChipValue {
  return { text, quoted: kind === 'quoted' }
}
