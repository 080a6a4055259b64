/**
 * What a person wrote in a reply: the text without the mail that is quoted, and without the signature. Each line is looked at once, so
 * that a long hostile text costs no more than a long one. Clients in English and German are known; of others the line of our mails
 * that says "reply above" is found.
 */

/** The first line of a mail that can be answered. Quoted, it begins what is cut. */
export const reply_marker = '— Reply above this line to comment on the task —'

const attribution_lines_max = 4
/** Lines in which the headers of a quoted mail stand, as Outlook writes them. */
const header_lines_max = 6

export function replyText(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, '\n').split('\n')
  const quote = startOfQuote(lines)
  const own = quote === null ? [] : ownLinesAfter(lines, quote)
  const kept = own.length > 0 ? [...lines.slice(0, quote?.at), ...own] : lines.slice(0, quote?.at)
  return withoutSignature(kept)
}

interface Quote {
  /** The line that introduces it. */
  readonly at: number
  /** The first line of what is quoted. */
  readonly from: number
  /** Each line of it begins with `>`, so that own lines after it can be told. */
  readonly isMarked: boolean
}

function startOfQuote(lines: readonly string[]): Quote | null {
  for (const [i, line] of lines.entries()) {
    const bare = line.replace(/^[>\s]+/, '')
    if (bare.startsWith(reply_marker)) return { at: i, from: i, isMarked: line.startsWith('>') }
    const after = attributionEnd(lines, i)
    if (after !== null) return { at: i, from: after, isMarked: (lines[firstText(lines, after)] ?? '').startsWith('>') }
    if (separator.test(bare) || isHeaderBlock(lines, i)) return { at: i, from: i, isMarked: false }
  }
  return null
}

/** `-----Original Message-----`, `-------- Ursprüngliche Nachricht --------`, and the line of underscores of Outlook on the web. */
const separator =
  /^(?:-{2,20} ?(?:original message|ursprüngliche nachricht|weitergeleitete nachricht) ?-{2,20}|_{20,200})\s*$/i

/** The line after one that says who wrote when, which mail programs wrap; null if no such line begins here. */
function attributionEnd(lines: readonly string[], start: number): number | null {
  const first = (lines[start] ?? '').trim()
  if (first === '' || first.startsWith('>')) return null
  let text = ''
  for (let i = start; i < Math.min(lines.length, start + attribution_lines_max); i++) {
    const line = (lines[i] ?? '').trim()
    if (line === '' || line.length > 400) return null
    text += `${text === '' ? '' : ' '}${line}`
    if (line.endsWith(':')) return isAttribution(text) ? i + 1 : null
  }
  return null
}

function isAttribution(text: string): boolean {
  if (!/\d/.test(text)) return false
  const english = /^On\s/.test(text) && /\swrote:$/.test(text)
  const german = /^Am\s/.test(text) && /\sschrieb\s/.test(text)
  const other = /\s(?:wrote|schrieb)(?:\s(?:on|am)\s.{1,60})?:$/.test(text) && /@/.test(text)
  return english || german || other
}

const sender_header = /^\*?(?:from|von)\s?:\*?\s/i
const other_headers = /^\*?(?:sent|date|to|subject|gesendet|datum|an|betreff)\s?:\*?\s/i

function isHeaderBlock(lines: readonly string[], start: number): boolean {
  const bare = (line: string | undefined) => (line ?? '').slice(0, 200).replace(/^[>\s]+/, '')
  if (!sender_header.test(bare(lines[start]))) return false
  let found = 0
  for (let i = start + 1; i < Math.min(lines.length, start + header_lines_max); i++)
    if (other_headers.test(bare(lines[i]))) found++
  return found >= 2
}

function firstText(lines: readonly string[], from: number): number {
  let i = from
  while (i < lines.length && (lines[i] ?? '').trim() === '') i++
  return i
}

/** Lines between and below the quoted ones: the answers of a person who writes there. What is quoted above the first of them goes. */
function ownLinesAfter(lines: readonly string[], { from, isMarked }: Quote): string[] {
  if (!isMarked) return []
  const rest = lines.slice(from)
  const isOwn = (line: string) => line.trim() !== '' && !line.startsWith('>')
  const first = rest.findIndex(isOwn)
  if (first < 0 || withoutSignature(rest.filter((line) => !line.startsWith('>'))) === '') return []
  const last = rest.findLastIndex(isOwn)
  return rest.slice(first, last + 1)
}

/** Lines that mail programs of phones add. */
const sent_from =
  /^(?:sent from (?:my |outlook|mail|yahoo|proton)|get outlook for |von meinem .{1,60} gesendet|gesendet (?:mit|von|aus) |diese nachricht wurde von meinem |outlook für .{1,60} herunterladen)/i

function withoutSignature(lines: readonly string[]): string {
  const delimiter = lines.findIndex((line) => /^-- ?$/.test(line))
  const kept = delimiter < 0 ? [...lines] : lines.slice(0, delimiter)
  for (;;) {
    const line = kept.at(-1)?.trim()
    if (line === undefined || !(line === '' || line.startsWith('>') || sent_from.test(line.slice(0, 200)))) break
    kept.pop()
  }
  return kept.join('\n').trim()
}
