/**
 * Splits the text of a task filter into tokens for parse.ts (contract/06#filter-grammar).
 * Invariant: the tokens and the spaces between them are the whole text, and the last token is always `end`.
 */

/** `<` `<=` `>` `>=` `=` `!=`, `:` for "has", and `IN`, which is parsed as one comparison for each value. */
export type Comparator = '=' | '!=' | '<' | '<=' | '>' | '>=' | ':' | 'IN'

export type Token = {
  kind: 'word' | 'quoted' | 'comparator' | '-' | '.' | ',' | '(' | ')' | 'end'
  /** The text between the quotes with its escapes resolved, or the token as written. */
  text: string
  /** Its start, in UTF-16 units. */
  start: number
  /** Whether it is at the start of the text or after white space. */
  spaced: boolean
}

/** The reason for refusing a filter. It never leaves this folder: parse.ts and check.ts return it as a value. */
export class FilterFault extends Error {
  /** 1-based, in characters (code points). */
  readonly position: number

  /** `advice` is a sentence that says what is accepted. */
  constructor(reason: string, position: number, advice = '') {
    super(`${reason} (at character ${position}).${advice && ` ${advice}`}`)
    this.position = position
  }
}

/** The 1-based number of the character (code point) that begins at a UTF-16 offset of `text`. */
export function characterAt(text: string, offset: number): number {
  let character = 1
  for (let i = 0; i < offset; i++) {
    const code = text.charCodeAt(i)
    const isSecondHalf = code >= 0xdc00 && code <= 0xdfff && i > 0 && isFirstHalf(text.charCodeAt(i - 1))
    if (!isSecondHalf) character++
  }
  return character
}

/** A piece of the caller's text for a message, in quotes, cut after 40 characters. */
export function excerpt(text: string): string {
  const characters = [...text.slice(0, 82)]
  return `"${characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : text}"`
}

const space = /\s+/y
// An instant is one word although it contains colons and perhaps a dot.
const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)(?![^\s"'(),])/iy
// A minus directly before a quote or a parenthesis is a token; a `!` belongs to the word unless it begins `!=`.
const word = /-(?=["'(])|(?:[^\s"().,:=<>!]|!(?!=))+/y
const symbol = /[<>!]=|[<>=:().,]/y
const quoted = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/sy
const escapes: Readonly<Record<string, string>> = { '"': '"', "'": "'", '\\': '\\', n: '\n', r: '\r', t: '\t' }

/**
 * The tokens of a filter, in one pass. Throws FilterFault if a quote is never closed, an escape is not one of
 * `\" \' \\ \n \r \t`, or the text contains U+0000 or half a surrogate pair (contract/01#strings).
 */
export function tokenize(text: string): Token[] {
  refuseBrokenText(text)
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    const start = at + matchAt(space, text, at).length
    const token = start === text.length ? { kind: 'end' as const, text: '', length: 0 } : tokenAt(text, start)
    tokens.push({ kind: token.kind, text: token.text, start, spaced: start === 0 || start > at })
    if (token.kind === 'end') return tokens
    at = start + token.length
  }
}

function tokenAt(text: string, start: number): { kind: Token['kind']; text: string; length: number } {
  const first = text.charAt(start)
  if (first === '"' || first === "'") {
    const whole = matchAt(quoted, text, start)
    if (whole === '') throw new FilterFault('A quote is never closed', characterAt(text, start))
    return { kind: 'quoted', text: resolveEscapes(text, start, whole), length: whole.length }
  }
  const plain = matchAt(instant, text, start) || matchAt(word, text, start)
  if (plain === '-') return { kind: '-', text: plain, length: 1 }
  if (plain !== '') return { kind: 'word', text: plain, length: plain.length }
  const sign = matchAt(symbol, text, start)
  if (sign === '.' || sign === ',' || sign === '(' || sign === ')') return { kind: sign, text: sign, length: 1 }
  return { kind: 'comparator', text: sign, length: sign.length }
}

function resolveEscapes(text: string, start: number, whole: string): string {
  return whole.slice(1, -1).replace(/\\(.)/gsu, (written, character: string, offset: number) => {
    const meaning = Object.hasOwn(escapes, character) ? escapes[character] : undefined
    if (meaning !== undefined) return meaning
    const reason = `${excerpt(written)} is not an escape; use \\" \\' \\\\ \\n \\r \\t`
    throw new FilterFault(reason, characterAt(text, start + 1 + offset))
  })
}

function refuseBrokenText(text: string): void {
  const zero = text.indexOf('\0')
  if (zero >= 0) throw new FilterFault('U+0000 is not allowed', characterAt(text, zero))
  if (text.isWellFormed()) return
  const half = text.search(/\p{Surrogate}/u)
  throw new FilterFault('Half a surrogate pair is not allowed', characterAt(text, half))
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
