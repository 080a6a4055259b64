/** The part of a text that a result shows, with its matches marked (contract/06#search). */
import { withPlainMentions } from '../text/mentions.ts'
import { search_limits } from './limits.ts'
import { type SearchQuery, TermFinder } from './search-query.ts'
import { type Word, wordsOf } from './words.ts'

export interface Excerpt {
  /** Plain text in one line; `…` stands for what is left out. */
  readonly excerpt: string
  /** Places of matches in `excerpt`: start and end in UTF-16 units, in order, apart from each other. */
  readonly highlights: readonly (readonly [start: number, end: number])[]
}

/** The part of a text around its first match, or its start if nothing matches. */
export function excerptOf(text: string | null, { terms }: SearchQuery): Excerpt {
  const line = withPlainMentions(text ?? '')
    .toWellFormed()
    .replace(/\s+/gu, ' ')
    .trim()
  const words = wordsOf(line)
  const finder = new TermFinder(terms)
  const first = words.findIndex((_, at) => finder.lengthsAt(words, at).length > 0)
  const [from, until] = windowOf(line, words[first]?.start ?? 0)
  const before = from > 0 ? '…' : ''
  const excerpt = `${before}${line.slice(from, until)}${until < line.length ? '…' : ''}`
  const shift = before.length - from
  const shown = first < 0 ? [] : joined(marksFrom(words, first, finder, [from, until]))
  return {
    excerpt,
    highlights: shown.slice(0, search_limits.highlights_max).map(([start, end]) => [start + shift, end + shift]),
  }
}

/** The matches inside a part of a text, in order. A long text can have as many matches as words, so others are not looked for. */
function marksFrom(
  words: readonly Word[],
  first: number,
  finder: TermFinder,
  [from, until]: readonly [from: number, until: number],
): [number, number][] {
  const marks: [number, number][] = []
  for (let at = first; at < words.length && (words[at] as Word).start < until; at++) {
    const { start } = words[at] as Word
    for (const length of finder.lengthsAt(words, at)) marks.push([start, (words[at + length - 1] as Word).end])
  }
  return marks.filter(([start, end]) => start >= from && end <= until)
}

/** Which part is shown. Both ends are at spaces if one is near, and never inside a character. */
function windowOf(line: string, first: number): [from: number, until: number] {
  const { excerpt_units_max, excerpt_units_before } = search_limits
  if (line.length <= excerpt_units_max) return [0, line.length]
  const latest = line.length - excerpt_units_max
  let from = Math.max(0, Math.min(first - excerpt_units_before, latest))
  if (from > 0) {
    const space = line.indexOf(' ', from)
    from = space >= 0 && space < first ? space + 1 : wholeCharacter(line, from)
  }
  let until = Math.min(line.length, from + excerpt_units_max)
  if (until < line.length) {
    const space = line.lastIndexOf(' ', until)
    until = space > first + excerpt_units_before ? space : wholeCharacter(line, until)
  }
  return [from, until]
}

/** The same place, or the one before it if it is inside a surrogate pair or before a combining mark. */
function wholeCharacter(line: string, at: number): number {
  let place = at
  while (place > 0 && /^[\udc00-\udfff\p{M}]/u.test(line.slice(place, place + 2))) place--
  return place > 0 && isLowHalf(line.charCodeAt(place)) ? place - 1 : place
}

function isLowHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** Marks that overlap or touch as one. */
function joined(marks: readonly [number, number][]): [number, number][] {
  const out: [number, number][] = []
  for (const [start, end] of marks) {
    const last = out.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else out.push([start, end])
  }
  return out
}
