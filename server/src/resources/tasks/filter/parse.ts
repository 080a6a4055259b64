/**
 * Parses a task filter: AIP-160 without functions (contract/06#filter-grammar). Knows neither fields nor types.
 *
 *     expression  factor {[AND] factor}              factors side by side mean AND
 *     factor      term {OR term}                     OR binds tighter than AND
 *     term        [NOT | -] ( "(" expression ")" | restriction )
 *     restriction member [comparator value]          a member alone is a bare word or quoted phrase
 *               | member IN "(" member {, member} ")"
 *     value       member | "(" expression ")"        `status = (todo OR done)`: the comparison with each of them
 *     member      text {. text}                      text is a word or in quotes
 *
 * Keywords are uppercase; an empty filter is true for every task. A word ends at white space, at any of
 * `( ) , : = < > "` and at `!=`. Inside the parentheses of a value `-5` is a number, not a negation.
 * Invariant: parsing takes linear time, and recursion is at most 8 parentheses deep.
 */
import { limits } from '../../../api/limits.ts'
import { type Comparator, characterAt, excerpt, FilterFault, type Token, tokenize } from './tokens.ts'

/** A value: a word or quoted text. The meaning of an unquoted word depends on the field. */
export type Literal = { text: string; quoted: boolean; position: number }

export type Comparison = {
  kind: 'comparison'
  path: string[]
  comparator: Comparator
  value: Literal
  /** Of the member and of the comparator: 1-based, in characters. */
  position: number
  comparator_position: number
}

/** A parsed filter. `and` without operands is true for every task. */
export type Expression =
  | { kind: 'and' | 'or'; operands: Expression[] }
  | { kind: 'not'; operand: Expression }
  | { kind: 'phrase'; text: string; position: number }
  | Comparison

/** `position` is the 1-based character at fault; `message` is a sentence that contains it. */
export type FilterError = { ok: false; message: string; position: number }

/**
 * Parses the text of a filter. Syntax errors and more than 2,048 characters, 50 comparisons (words alone count) or 8 levels
 * of parentheses are returned as a message and position. Never throws. Source: contract/06#filter-grammar.
 */
export function parseFilter(text: string): { ok: true; expression: Expression } | FilterError {
  return answerFault(() => {
    // A character has at most two UTF-16 units, so a huge text is refused without reading it.
    if (text.length > 2 * limits.filter_chars_max || characterAt(text, text.length) > limits.filter_chars_max + 1) {
      const reason = `A filter has at most ${limits.filter_chars_max} characters`
      throw new FilterFault(reason, limits.filter_chars_max + 1)
    }
    return { ok: true, expression: new Parser(text).filter() }
  })
}

/** The result of `read`, or its FilterFault as a value. */
export function answerFault<T>(read: () => T): T | FilterError {
  try {
    return read()
  } catch (fault) {
    if (!(fault instanceof FilterFault)) throw fault
    return { ok: false, message: fault.message, position: fault.position }
  }
}

/** The left side of `member = (a OR b)`, which each value in the parentheses is compared with. */
type Subject = Pick<Comparison, 'path' | 'comparator' | 'position' | 'comparator_position'>

/** `quotes`: number of quoted segments in the path. */
type Member = { path: string[]; quotes: number; token: Token }

class Parser {
  readonly #text: string
  readonly #tokens: Token[]
  #at = 0
  #depth = 0
  #comparisons = 0

  constructor(text: string) {
    this.#text = text
    this.#tokens = tokenize(text)
  }

  filter(): Expression {
    if (this.#tokens.length === 1) return { kind: 'and', operands: [] }
    const expression = this.#expression(null)
    if (this.#next.kind !== 'end') this.#refuse('This parenthesis was never opened')
    return expression
  }

  #expression(subject: Subject | null): Expression {
    const operands = [this.#factor(subject)]
    while (this.#next.kind !== 'end' && this.#next.kind !== ')') {
      if (this.#next.kind === ',') this.#refuse('A comma is allowed only in quotes and between the values of IN (…)')
      if (this.#isKeyword('AND')) this.#at++
      else this.#requireSpace()
      operands.push(this.#factor(subject))
    }
    return single('and', operands)
  }

  #factor(subject: Subject | null): Expression {
    const operands = [this.#term(subject)]
    while (this.#isKeyword('OR')) {
      this.#at++
      operands.push(this.#term(subject))
    }
    return single('or', operands)
  }

  #term(subject: Subject | null): Expression {
    if (!this.#negation(subject)) return this.#simple(subject)
    if (this.#isKeyword('NOT') || this.#isMinus(subject)) {
      this.#refuse('Two negations in a row need parentheses between them')
    }
    return { kind: 'not', operand: this.#simple(subject) }
  }

  /** Reads a `NOT`, or a minus directly before its operand. */
  #negation(subject: Subject | null): boolean {
    const token = this.#next
    const isMinus = this.#isMinus(subject)
    if (!isMinus && !this.#isKeyword('NOT')) return false
    if (token.kind === 'word' && isMinus) {
      this.#tokens[this.#at] = { ...token, text: token.text.slice(1), start: token.start + 1, spaced: false }
      return true
    }
    this.#at++
    if (isMinus && this.#next.spaced) this.#refuse('A minus must be directly before its operand', token)
    return true
  }

  /** Among the values of one comparison, `-5` is a number. */
  #isMinus(subject: Subject | null): boolean {
    const { kind, text } = this.#next
    return kind === '-' || (kind === 'word' && text.startsWith('-') && !(subject && /^-\d/.test(text)))
  }

  #simple(subject: Subject | null): Expression {
    return this.#next.kind === '(' ? this.#composite(subject) : this.#restriction(subject)
  }

  #composite(subject: Subject | null): Expression {
    const opening = this.#next
    if (++this.#depth > limits.filter_depth_max)
      this.#refuse(`Parentheses nest at most ${limits.filter_depth_max} deep`)
    this.#at++
    const expression = this.#expression(subject)
    if (this.#next.kind !== ')') this.#refuse('This parenthesis is never closed', opening)
    this.#at++
    this.#depth--
    return expression
  }

  #restriction(subject: Subject | null): Expression {
    const member = this.#member(subject ? 'a value' : 'a comparison, a word or a quoted phrase')
    if (subject) return this.#comparison(subject, member)
    const sign = this.#next
    if (this.#isSet()) return this.#set(member)
    if (sign.kind === '(' && !sign.spaced && member.quotes === 0)
      this.#refuse('Functions are not supported', member.token)
    const position = this.#position(member.token)
    if (sign.kind !== 'comparator') {
      this.#count(member.token)
      return { kind: 'phrase', text: this.#literalText(member), position }
    }
    this.#at++
    const comparator = sign.text as Comparator
    const found = { path: member.path, comparator, position, comparator_position: this.#position(sign) }
    if (this.#next.kind !== '(') return this.#comparison(found, this.#member(`a value after "${comparator}"`))
    // `!=` is NOT `=`, so it excludes all of the values.
    if (comparator !== '!=') return this.#composite(found)
    return { kind: 'not', operand: this.#composite({ ...found, comparator: '=' }) }
  }

  /** Whether `IN (` follows; otherwise `IN` is a word. */
  #isSet(): boolean {
    const [word, parenthesis, third] = this.#tokens.slice(this.#at, this.#at + 3)
    if (word?.kind !== 'word' || parenthesis === undefined) return false
    if (word.text === 'NOT' && parenthesis.text === 'IN' && third?.kind === '(') {
      this.#refuse('NOT must be before the field: NOT status IN (todo, done)')
    }
    return word.text === 'IN' && parenthesis.kind === '('
  }

  #set(member: Member): Expression {
    const sign = this.#next
    const comparator_position = this.#position(sign)
    const subject = { path: member.path, comparator: 'IN', position: this.#position(member.token), comparator_position }
    this.#at++
    const opening = this.#next
    const operands: Expression[] = []
    do {
      this.#at++
      operands.push(this.#comparison(subject as Subject, this.#member('a value')))
    } while (this.#next.kind === ',')
    if (this.#next.kind === 'end') this.#refuse('This parenthesis is never closed', opening)
    if (this.#next.kind !== ')') this.#refuse(`Expected a comma or ")", found ${describe(this.#next)}`)
    this.#at++
    return single('or', operands)
  }

  #comparison(subject: Subject, value: Member): Comparison {
    if (this.#next.kind === 'comparator')
      this.#refuse(`Unexpected "${this.#next.text}" after a value; quotes may be missing`)
    this.#count(value.token)
    const quoted = value.quotes > 0
    const literal = { text: this.#literalText(value), quoted, position: this.#position(value.token) }
    return { kind: 'comparison', ...subject, value: literal }
  }

  #member(expected: string): Member {
    const token = this.#next
    const path: string[] = []
    let segment = token
    let quotes = 0
    for (;;) {
      const isText = segment.kind === 'quoted' || (segment.kind === 'word' && (path.length > 0 || !isKeyword(segment)))
      if (!isText && path.length > 0) this.#refuse('A dot is allowed only between two names and in quotes', segment)
      if (!isText) this.#refuse(`Expected ${expected}, found ${describe(segment)}`, segment)
      path.push(segment.text)
      if (segment.kind === 'quoted') quotes++
      this.#at++
      const dot = this.#next
      if (dot.kind !== '.' || dot.spaced) return { path, quotes, token }
      this.#at++
      segment = this.#next.spaced ? dot : this.#next
    }
  }

  /** A quoted text is a whole value: `a."b"` has no meaning as a value. */
  #literalText(member: Member): string {
    if (member.quotes > 0 && member.path.length > 1) this.#refuse('Put the whole value in quotes', member.token)
    return member.path.join('.')
  }

  #count(token: Token): void {
    if (++this.#comparisons <= limits.filter_comparisons_max) return
    this.#refuse(`A filter has at most ${limits.filter_comparisons_max} comparisons`, token)
  }

  #requireSpace(): void {
    const { kind, spaced } = this.#next
    if (spaced || kind === '(' || this.#tokens[this.#at - 1]?.kind === ')') return
    if (kind === 'word' || kind === 'quoted')
      this.#refuse('A space is missing; put text that contains quotes into the other kind of quotes')
  }

  get #next(): Token {
    return this.#tokens[this.#at] as Token
  }

  #isKeyword(keyword: 'AND' | 'OR' | 'NOT'): boolean {
    return this.#next.kind === 'word' && this.#next.text === keyword
  }

  #position(token: Token): number {
    return characterAt(this.#text, token.start)
  }

  #refuse(reason: string, token: Token = this.#next): never {
    throw new FilterFault(reason, this.#position(token))
  }
}

function single(kind: 'and' | 'or', operands: Expression[]): Expression {
  const [first] = operands
  return first && operands.length === 1 ? first : { kind, operands }
}

function isKeyword(token: Token): boolean {
  return token.text === 'AND' || token.text === 'OR' || token.text === 'NOT'
}

function describe(token: Token): string {
  return token.kind === 'end' ? 'the end' : excerpt(token.text)
}
