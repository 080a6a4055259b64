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
  return { terms: different(terms.map(asTerm)), excluded: different(excluded), keys: [...new Set(keys)] }
}

function different(terms: readonly Term[]): Term[] {
  return [...new Map(terms.map((term) => [`${term.isPrefix} ${term.words.join(' ')}`, term])).values()]
}

/** Finds terms in the words of texts, in time that grows with the text and hardly with the number of terms. */
export class TermFinder {
  /** The terms by their first words, except for one that is only the beginning of a word. */
  readonly #byFirst: ReadonlyMap<string, readonly Term[]>
  readonly #prefix: Term | undefined

  constructor(terms: readonly Term[]) {
    this.#prefix = terms.find(({ words, isPrefix }) => isPrefix && words.length === 1)
    this.#byFirst = Map.groupBy(
      terms.filter((term) => term !== this.#prefix),
      ({ words }) => words[0] as string,
    )
  }

  /** The numbers of words of the terms that are at a place of a text. */
  lengthsAt(text: readonly Word[], at: number): number[] {
    const { word } = text[at] as Word
    const lengths = (this.#byFirst.get(word) ?? [])
      .filter((term) => fits(term, text, at))
      .map(({ words }) => words.length)
    return this.#prefix !== undefined && fits(this.#prefix, text, at) ? [...lengths, 1] : lengths
  }
}

function fits({ words, isPrefix }: Term, text: readonly Word[], at: number): boolean {
  const last = words.length - 1
  if (at + last >= text.length) return false
  return words.every((word, i) => {
    const found = (text[at + i] as Word).word
    return i === last && isPrefix ? found.startsWith(word) : found === word
  })
}
