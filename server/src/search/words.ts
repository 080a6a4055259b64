/**
 * Divides texts into words, for the index and for queries. Case, accents and Unicode forms make no difference. Each character
 * of a script without spaces is a word of its own, so that any characters in a row are found as a phrase. Invariant: both
 * engines store and compare only what comes from here, so they find the same.
 */
import { normalized } from '../lib/normalize.ts'
import { search_limits } from './limits.ts'

/** A word and its place in the text, in UTF-16 units. */
export interface Word {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** Scripts that are written without spaces between words. */
const spaceless = [
  'Han',
  'Hira',
  'Kana',
  'Bopo',
  'Thai',
  'Laoo',
  'Khmr',
  'Mymr',
  'Yiii',
  'Tibt',
  'Lana',
  'Talu',
  'Java',
]
export const spaceless_form = `[${spaceless.map((name) => `\\p{scx=${name}}`).join('')}]`
const spaceless_script = new RegExp(spaceless_form, 'u')

/** Letters that look like another with an accent but do not decompose into one. */
const undecomposed: Readonly<Record<string, string>> = {
  ς: 'σ',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ħ: 'h',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
}

/** Accents: marks of scripts whose letters stay the same word without them. Voicing marks of kana are part of the letter. */
const accents = /(?![\u3099\u309a\p{sc=Thai}\p{sc=Laoo}])\p{Mn}/gu
const accented_script = /[\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Hebr}\p{scx=Arab}\p{scx=Syrc}\p{scx=Armn}]/u
const inherited_accents = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]/gu

/** A run of ASCII word characters; Hangul, whose syllables may be written in parts; a letter with its marks; a pictogram. */
const parts =
  /[A-Za-z0-9]+(?![\p{M}])|[\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff]+|[\p{L}\p{N}\p{M}][\p{M}\uff9e\uff9f]*|\p{Extended_Pictographic}/gu

const ascii = /^[A-Za-z0-9]+$/
const pictogram = /^\p{Extended_Pictographic}/u

const folded_parts = new Map<string, string>()
const folded_parts_max = 20_000
/** Longer ones are not kept: a text of the largest size can be one part. */
const folded_part_units_max = 64

/** The words of a text, in its order. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  let open = false
  for (const match of text.toWellFormed().matchAll(parts)) {
    const part = match[0]
    const start = match.index
    const end = start + part.length
    if (ascii.test(part)) {
      open = addLetters(words, part.toLowerCase(), start, end, open)
    } else if (pictogram.test(part) || spaceless_script.test(part)) {
      for (const word of folded(part)) words.push({ word, start, end })
      open = false
    } else open = addLetters(words, folded(part), start, end, open)
  }
  return words.map(cut)
}

/** Adds letters to the last word if they follow it directly and it is open. Returns whether the last word is open. */
function addLetters(words: Word[], letters: string, start: number, end: number, open: boolean): boolean {
  const last = words.at(-1)
  if (open && last?.end === start) words[words.length - 1] = { word: last.word + letters, start: last.start, end }
  else if (letters !== '') words.push({ word: letters, start, end })
  else return false
  return true
}

function cut(word: Word): Word {
  const { word_chars_max } = search_limits
  if (word.word.length <= word_chars_max) return word
  return { ...word, word: [...word.word].slice(0, word_chars_max).join('') }
}

function folded(part: string): string {
  if (part.length > folded_part_units_max) return fold(part)
  let found = folded_parts.get(part)
  if (found === undefined) {
    if (folded_parts.size >= folded_parts_max) folded_parts.clear()
    found = fold(part)
    folded_parts.set(part, found)
  }
  return found
}

/** Through upper case, because only that unfolds `ß` and `ı`. */
function fold(part: string): string {
  const decomposed = normalized(part, 'NFKD').toUpperCase().toLowerCase()
  let text = normalized(decomposed, 'NFKD').replace(inherited_accents, '')
  if (accented_script.test(text)) text = text.replace(accents, '')
  const letters = text.replace(/[ςøłđħŧæœ]/g, (letter) => undecomposed[letter] ?? letter)
  // What is left after compatibility forms: `㎏` becomes letters, `½` a fraction with a sign between its digits.
  return normalized(letters, 'NFC').replace(/[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}]/gu, '')
}

/** The words without their places. */
export function plainWords(text: string): string[] {
  return wordsOf(text).map(({ word }) => word)
}

/** Whether more letters may follow in a word: one of a script without spaces is a single character. */
export function canGrow(word: string): boolean {
  return !spaceless_script.test(word) && !pictogram.test(word)
}
