/**
 * Parses `If-None-Match`, `If-Match` and `Idempotency-Key` (contract/05, contract/03; RFC 9110 section 13.1, RFC 8941). The
 * first is parsed leniently, because a mistake only costs a full answer; the other two strictly, because they protect writes.
 */
import { limits } from '../limits.ts'

export type IfMatch = { any: true } | { revisions: number[] } | null

export type IdempotencyKey = { ok: true; key: string } | { ok: false; message: string }

/** The content of a tag: a revision of up to 16 digits, optionally followed by a dash and a hash, or by the name of a coding. */
const revisionTag = /^(0|[1-9]\d{0,15})(?:-[\x21\x23-\x7e\x80-\xff]+|;(?:br|gzip))?$/
const bareRevision = /^(0|[1-9]\d{0,15})$/

/**
 * The tags of an `If-None-Match` header without quotes and `W/`, or `*`. Lenient: unquoted words count as tags, empty
 * members are skipped, and everything after an unreadable member is ignored.
 */
export function parseIfNoneMatch(header: string): '*' | string[] {
  if (header.trim() === '*') return '*'
  return listedTags(header).tags.map(({ text, isQuoted }) => (isQuoted ? text : text.replace(/^W\//, '')))
}

/**
 * The tag that makes the answer to a GET 304, or null if none in an `If-None-Match` header matches the current `etag` (as it
 * is sent, with quotes). Compares weakly (RFC 9110 §8.8.3.2). The tag of a compressed answer matches too and is returned
 * as it is, because it identifies what the client holds. Source: contract/05#if-none-match, contract/17#compression.
 */
export function matchedTag(header: string, etag: string): string | null {
  // Nearly every client sends one tag, copied from the last answer.
  if (header === etag) return etag
  const tags = parseIfNoneMatch(header)
  const text = etag.replace(/^W\//, '').replace(/^"(.*)"$/s, '$1')
  if (tags === '*' || tags.includes(text)) return etag
  const coded = coding_names.find((coding) => tags.includes(`${text};${coding}`))
  return coded === undefined ? null : codedTag(etag, coded)
}

/** Codings of answers, the preferred one first. */
export const coding_names = ['br', 'gzip'] as const

export type CodingName = (typeof coding_names)[number]

/** The tag of an answer in a coding: `"12-abc"` becomes `"12-abc;br"`. */
export function codedTag(etag: string, coding: CodingName): string {
  return `${etag.slice(0, -1)};${coding}"`
}

/** The coding that a tag names; null for the tag of an answer that is not compressed. */
export function codingOfTag(etag: string | undefined): CodingName | null {
  return coding_names.find((coding) => etag?.endsWith(`;${coding}"`)) ?? null
}

/**
 * The revisions that an `If-Match` header allows: any for `*`, otherwise those of its members, written `"7-abc"`, `"7"`,
 * `7`, `W/"7-abc"` or `W/"7"`. Returns null for any other member and for an empty list; the request is then refused.
 * Source: contract/05#if-match.
 */
export function parseIfMatch(header: string): IfMatch {
  if (header === '*') return { any: true }
  const { tags, isWhole } = listedTags(header)
  const revisions = new Set<number>()
  for (const { text, isQuoted } of tags) {
    const revision = Number((isQuoted ? revisionTag : bareRevision).exec(text)?.[1])
    if (!Number.isSafeInteger(revision)) return null
    revisions.add(revision)
  }
  return isWhole && revisions.size > 0 ? { revisions: [...revisions] } : null
}

interface ListedTag {
  text: string
  isQuoted: boolean
}

/** The members of a comma-separated list of tags, quoted (also weak) or unquoted, up to the first malformed one. */
function listedTags(header: string): { tags: ListedTag[]; isWhole: boolean } {
  const tags: ListedTag[] = []
  let at = 0
  for (;;) {
    // Empty members are skipped (RFC 9110 §5.6.1.2).
    while (isSpace(header, at) || header[at] === ',') at++
    if (at === header.length) return { tags, isWhole: true }
    if (header.startsWith('W/"', at)) at += 2
    const isQuoted = header[at] === '"'
    const comma = header.indexOf(',', at)
    const bareEnd = comma < 0 ? header.length : comma
    const end = isQuoted ? header.indexOf('"', at + 1) : bareEnd
    const text = isQuoted ? header.slice(at + 1, end) : trimEnd(header.slice(at, end))
    if (end < 0 || (!isQuoted && text.includes('"'))) return { tags, isWhole: false }
    at = isQuoted ? end + 1 : end
    while (isSpace(header, at)) at++
    if (at < header.length && header[at] !== ',') return { tags, isWhole: false }
    tags.push({ text, isQuoted })
  }
}

function isSpace(header: string, at: number): boolean {
  return header[at] === ' ' || header[at] === '\t'
}

function trimEnd(text: string): string {
  let end = text.length
  while (isSpace(text, end - 1)) end--
  return text.slice(0, end)
}

/**
 * The idempotency key in the values of all `Idempotency-Key` headers. Exactly one is allowed, of 1 to 255 characters from
 * 0x21 to 0x7E. A quoted string (RFC 8941) is unquoted, so `"abc"` and `abc` are the same key. Source: contract/03#key-format.
 */
export function parseIdempotencyKey(values: string[]): IdempotencyKey {
  const [value] = values
  if (value === undefined) return { ok: false, message: 'The Idempotency-Key header is missing.' }
  if (values.length > 1)
    return { ok: false, message: 'The Idempotency-Key header was sent more than once. Send exactly one.' }
  let key = value
  if (value.startsWith('"')) {
    if (!/^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"$/.test(value)) {
      return { ok: false, message: 'The Idempotency-Key header begins with a quote but is not a quoted string.' }
    }
    key = value.slice(1, -1).replace(/\\(.)/g, '$1')
  }
  if (key.length === 0 || key.length > limits.idempotency_key_chars_max || !/^[\x21-\x7e]*$/.test(key)) {
    return {
      ok: false,
      message: `An Idempotency-Key has 1 to ${limits.idempotency_key_chars_max} visible ASCII characters and no spaces.`,
    }
  }
  return { ok: true, key }
}
