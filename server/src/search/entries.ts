/**
 * How the engines store the words of an object. SQLite's full-text index keeps them in their order, each with its realm before
 * it, and for each two words in a row a mark that leads to phrases. PostgreSQL keeps the words as text, and hashes of words and of their first characters that contain the realm. Invariant:
 * an object that matches a query has every hash of the query; the texts decide.
 */
import { shortRealm } from '../db/realms/numbers.ts'
import { search_limits } from './limits.ts'
import type { Term } from './search-query.ts'
import type { Texts } from './sources.ts'
import { plainWords } from './words.ts'

/** Where a term is looked for: in the title alone, which includes the key, or in all texts. */
export type Place = 'title' | 'text'

/** The words of an object. No phrase crosses from one list into the next. */
export interface ObjectWords {
  readonly titles: readonly (readonly string[])[]
  readonly body: readonly string[]
}

export function objectWords({ key, title, body }: Texts): ObjectWords {
  return { titles: [plainWords(key ?? ''), plainWords(title ?? '')], body: plainWords(body ?? '') }
}

// SQLite

/** Before each word of a list stand the realm in a fixed width and the letter of the list. */
const realm_digits = 6
const letters: Readonly<Record<Place, string>> = { text: 'w', title: 't' }

function realmPrefix(realm: number): string {
  return shortRealm(realm).toString(36).padStart(realm_digits, '0')
}

/** The text of SQLite's full-text index. Words of titles are in it twice, so that a search in titles reads only these. */
export function indexedText(realm: number, words: ObjectWords, type: string, workspace: string | null): string {
  const prefix = realmPrefix(realm)
  const gap = `${prefix}g`
  const spelled = (place: Place, list: readonly string[]) => list.map((word) => `${prefix}${letters[place]}${word}`)
  const parts = [
    ...[...words.titles, words.body].map((list) => spelled('text', list)),
    ...words.titles.map((list) => spelled('title', list)),
    [facetWord(prefix, type)],
    ...(workspace === null ? [] : [[facetWord(prefix, workspace)]]),
    [...new Set([...words.titles, words.body].flatMap((list) => pairMarks(realm, list)))],
  ]
  return parts
    .filter((part) => part.length > 0)
    .map((part) => part.join(' '))
    .join(` ${gap} `)
}

/** A kind of object or a workspace as a word. */
function facetWord(prefix: string, name: string): string {
  return `${prefix}f${name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()}`
}

const marks_count = 2 ** 16
const pair_kind = 5
/** Characters of two bytes: a mark of five is below the first length of which the index keeps prefixes. */
const first_character = 0x80
const characters_count = 0x780

/**
 * A mark for each two words in a row. Two words have one of a fixed number of marks, so few documents without the phrase have
 * it: a phrase of frequent words is looked for in these documents only.
 */
function pairMarks(realm: number, words: readonly string[]): string[] {
  const prefix = spelledNumber(shortRealm(realm), 3)
  return words.slice(1).map((word, i) => {
    const mark = wordHash(pair_kind, `${words[i]} ${word}`) % marks_count
    return `${prefix}${spelledNumber(mark, 2)}`
  })
}

/** A number in a fixed count of characters, none of which is ASCII, as those of all other words of the index are at their start. */
function spelledNumber(number: number, length: number): string {
  let text = ''
  for (let rest = number, i = 0; i < length; rest = Math.floor(rest / characters_count), i++) {
    text = String.fromCharCode(first_character + (rest % characters_count)) + text
  }
  return text
}

/** The marks of a phrase; the last word may go on, so it is in none. */
function phraseMarks(realm: number, { words, isPrefix }: Term): string[] {
  return pairMarks(realm, isPrefix ? words.slice(0, -1) : words)
}

/** An expression of SQLite's full-text index. In `text` are those that are not in `title`, in `any` all. */
export function matchText(
  realm: number,
  search: { readonly terms: readonly Term[]; readonly excluded: readonly Term[] },
  place: Place | 'any',
  facets: readonly (readonly string[])[],
): string {
  const prefix = realmPrefix(realm)
  const term = (of: Place, { words, isPrefix }: Term) =>
    `"${words.map((word) => `${prefix}${letters[of]}${word}`).join(' ')}"${isPrefix ? ' *' : ''}`
  const all = (of: Place) => search.terms.map((each) => term(of, each))
  const groups = facets.map((names) => `(${names.map((name) => facetWord(prefix, name)).join(' OR ')})`)
  const marks = search.terms.flatMap((each) => phraseMarks(realm, each)).map((mark) => `"${mark}"`)
  const wanted = [...marks, ...all(place === 'title' ? 'title' : 'text'), ...groups].join(' AND ')
  const unwanted = search.excluded.map((each) => term('text', each))
  if (place === 'text') unwanted.push(`(${all('title').join(' AND ')})`)
  return unwanted.length === 0 ? wanted : `(${wanted}) NOT (${unwanted.join(' OR ')})`
}

// PostgreSQL

const kinds = {
  text: { word: 1, prefix: 2 },
  title: { word: 3, prefix: 4 },
} as const

/** Between two lists of words; no word contains it. */
const gap_word = '|'

/** Words as a text in which each one stands between spaces. */
export function spacedWords(lists: readonly (readonly string[])[]): string {
  return ` ${lists
    .filter((list) => list.length > 0)
    .map((list) => list.join(' '))
    .join(` ${gap_word} `)} `
}

/** The pattern of LIKE for a term in `spacedWords`. */
export function likePattern({ words, isPrefix }: Term): string {
  return `% ${words.join(' ')}${isPrefix ? '' : ' '}%`
}

/** All hashes of an object, each once, as a PostgreSQL array. */
export function indexedHashes(realm: number, { titles, body }: ObjectWords): string {
  const hashes = new Set<bigint>()
  const add = (place: Place, word: string) => {
    hashes.add(hashOf(realm, kinds[place].word, word))
    const characters = [...word]
    for (let n = 1; n <= Math.min(characters.length, search_limits.prefix_chars_max); n++) {
      hashes.add(hashOf(realm, kinds[place].prefix, characters.slice(0, n).join('')))
    }
  }
  for (const word of new Set(titles.flat())) {
    add('title', word)
    add('text', word)
  }
  for (const word of new Set(body)) add('text', word)
  return `{${[...hashes].join()}}`
}

/** The hashes that every match of these terms has, as a PostgreSQL array. */
export function soughtHashes(realm: number, terms: readonly Term[], place: Place): string {
  const hashes = new Set<bigint>()
  for (const { words, isPrefix } of terms) {
    for (const [i, word] of words.entries()) {
      if (isPrefix && i === words.length - 1) {
        const start = [...word].slice(0, search_limits.prefix_chars_max).join('')
        hashes.add(hashOf(realm, kinds[place].prefix, start))
      } else hashes.add(hashOf(realm, kinds[place].word, word))
    }
  }
  return `{${[...hashes].join()}}`
}

/** A hash of 32 bits below the realm. */
function hashOf(realm: number, kind: number, word: string): bigint {
  return (BigInt(shortRealm(realm)) << 32n) | BigInt(wordHash(kind, word))
}

/** FNV-1a of 32 bits, then mixed, because neighbouring letters differ in few bits. */
function wordHash(kind: number, word: string): number {
  let hash = Math.imul(0x811c9dc5 ^ kind, 0x01000193)
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
