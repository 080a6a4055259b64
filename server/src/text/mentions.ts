/**
 * The people and teams that a Markdown text mentions. A mention is a link to an id, such as `[@Ada Lovelace](atrium:usr_01…)` or
 * `[@Design](atrium:team_01…)`: it survives a new name, and it is readable where nothing renders it. Code does not mention anyone.
 *
 * Writes read every text here, so the time is linear in the text: a full Markdown parser needs up to a second for hostile
 * texts of 64 KiB. It follows CommonMark for fences, code spans and escapes, and takes indented code for text.
 */
import { text_limits } from './limits.ts'

/** Behind `](`, where the name ends. */
const target = /\]\(atrium:((?:usr|team)_[0-9A-HJKMNP-TV-Z]{26})\)/g

/** The beginning of a line of a fence, also inside quotes and list items. */
const fence = /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]){0,64}(`{3,}(?=[^`]*$)|~{3,})/

/** Returns the ids of users and teams that the text mentions, each once, in order; at most 100. They need not exist. */
export function mentionsOf(text: string): string[] {
  if (!mayMention(text)) return []
  const found = new Set<string>()
  for (const paragraph of paragraphsOf(text)) {
    const shown = blankCodeSpans(paragraph)
    for (const match of shown.matchAll(target)) {
      if (opensAsMention(shown, match.index)) found.add(match[1] as string)
      if (found.size === text_limits.mentions_max) return [...found]
    }
  }
  return [...found]
}

/** The mentions as rows store them: exactly as `JSON.stringify` writes them. */
export function storedMentions(text: string | null): string {
  return JSON.stringify(text === null ? [] : mentionsOf(text))
}

const mention = /\[(@(?:[^[\]\\]|\\.){1,200})\]\(atrium:(?:usr|team)_[0-9A-HJKMNP-TV-Z]{26}\)/gs

/** The text as it is quoted where nothing renders it: each mention is `@` and the name that was written. */
export function withPlainMentions(text: string): string {
  if (!mayMention(text)) return text
  return text.replaceAll(mention, (_link, name: string) => name.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1'))
}

/** Whether an id that a text mentions is a team's; any other is a user's. */
export function isTeamId(id: string): boolean {
  return id.startsWith('team_')
}

function mayMention(text: string): boolean {
  return text.includes('](atrium:usr_') || text.includes('](atrium:team_')
}

/** The lines outside of fenced code, joined where no blank line or fence divides them. */
function paragraphsOf(text: string): string[] {
  const paragraphs: string[] = []
  let lines: string[] = []
  let closing: string | null = null
  const end = () => {
    if (lines.length > 0) paragraphs.push(lines.join('\n'))
    lines = []
  }
  for (const line of text.split(/\r\n|\n|\r/)) {
    const marker = fence.exec(line)?.[1]
    if (closing !== null) {
      if (marker?.startsWith(closing) && line.trimEnd().endsWith(marker)) closing = null
    } else if (marker !== undefined) {
      end()
      closing = marker
    } else if (line.trim() === '') end()
    else lines.push(line)
  }
  end()
  return paragraphs
}

/** The paragraph with its code spans replaced by spaces. */
function blankCodeSpans(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)]
  const last = new Map(runs.map((run, i) => [run[0].length, i]))
  let shown = ''
  let from = 0
  for (let i = 0; i < runs.length; i++) {
    const run = runs[i] as RegExpExecArray
    if (isEscaped(paragraph, run.index)) continue
    const size = run[0].length
    if ((last.get(size) as number) <= i) continue
    let closing = i + 1
    while ((runs[closing] as RegExpExecArray)[0].length !== size) closing++
    const end = (runs[closing] as RegExpExecArray).index + size
    shown += paragraph.slice(from, run.index) + ' '.repeat(end - run.index)
    from = end
    i = closing
  }
  return shown + paragraph.slice(from)
}

/** Whether the link text that ends at `end` begins with `[@`, and neither bracket is escaped. */
function opensAsMention(text: string, end: number): boolean {
  if (isEscaped(text, end)) return false
  const first = Math.max(0, end - text_limits.mention_name_chars_max)
  for (let at = end - 1; at >= first; at--) {
    const char = text[at]
    if ((char !== '[' && char !== ']') || isEscaped(text, at)) continue
    return char === '[' && text[at + 1] === '@' && (text[at - 1] !== '!' || isEscaped(text, at - 1))
  }
  return false
}

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (first > 0 && text[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}
