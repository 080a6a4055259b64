/** How messages show a value as sent, and the value that was probably meant. */
import { nearest } from '../../lib/nearest.ts'

const chars_max = 80

/** A value between quotes, shortened. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return `"${text.length > chars_max ? `${text.slice(0, chars_max).toWellFormed()}…` : text}"`
}

/** ` Did you mean "…"?`, or nothing if no word is near. A word in another case is nearer than any other. */
export function suggest(sent: unknown, words: readonly string[]): string {
  if (typeof sent !== 'string') return ''
  const found = words.find((word) => word.toLowerCase() === sent.toLowerCase()) ?? nearest(sent, words)
  return found === null ? '' : ` Did you mean "${found}"?`
}

/** The words that are accepted: `a, b or c`. */
export function choices(words: readonly unknown[]): string {
  const last = String(words.at(-1))
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`
}

/** Says that a name cannot have this value, which value was probably meant and which are accepted. */
export function unknownWord(name: string, sent: unknown, words: readonly string[]): string {
  return `${name} cannot be ${quoted(sent)}.${suggest(sent, words)} Use ${choices(words)}.`
}
