/**
 * The query of a search (contract/06#search): words and phrases that must all occur, the last word as a prefix, and `-` before
 * what must not occur. Every text is a query; one without anything to look for is refused by the operation.
 */
import { canGrow, plainWords, type Word } from './words.ts'

/** Words that follow each other in one text. */
export interface Term {
  readonly words: readonly string[]
  /** The last word may go on. */
  readonly isPrefix: boolean
}

export interface SearchQuery {
  readonly terms: readonly Term[]
  readonly excluded: readonly Term[]
  /** Keys of tasks among the words. */
  readonly keys: readonly string[]
}

const items = /(-?)(?:"([^"]*)(?:"|$)|([^\s"]+))/gu
const key_form = /^[a-z]{2,6}-[1-9]\d{0,15}$/i

/** Null if the text has no word or phrase that must occur. */
export function readSearchQuery(text: string): SearchQuery | null {
  const terms: (Term & { readonly isWord: boolean })[] = []
  const excluded: Term[] = []
  const keys: string[] = []
  for (const [, minus, phrase, word = ''] of text.matchAll(items)) {
    const words = plainWords(phrase ?? word)
    if (words.length === 0) continue
    if (minus === '-') excluded.push({ words, isPrefix: false })
    else terms.push({ words, isPrefix: false, isWord: phrase === undefined })
    if (minus === '' && phrase === undefined && key_form.test(word)) keys.push(word.toUpperCase())
  }
  if (terms.length === 0) return null
  const last = terms.findLastIndex(({ isWord }) => isWord)
  const asTerm = ({ words }: Term, at: number): Term => ({
    words,
    isPrefix: at === last && canGrow(words.at(-1) as string),
  })
  return { terms: terms.map(asTerm), excluded, keys: [...new Set(keys)] }
}

/** The places of a term among the words of a text: the index of its first word at each. */
export function placesOf({ words, isPrefix }: Term, text: readonly Word[]): number[] {
  const places: number[] = []
  const last = words.length - 1
  for (let at = 0; at + last < text.length; at++) {
    const fits = words.every((word, i) => {
      const found = (text[at + i] as Word).word
      return i === last && isPrefix ? found.startsWith(word) : found === word
    })
    if (fits) places.push(at)
  }
  return places
}
