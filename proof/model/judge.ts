/** Compares an answer with the model's expectation and the document: status, code, headers, body. */
import type { Raw } from '../connection.ts'
import type { Document } from '../document.ts'
import { spans } from './credits.ts'
import type { Expectation, ModelRequest, Remaining } from './model-request.ts'
import type { Expected, Names } from './names.ts'
import { type Code, kinds } from './refused.ts'

export interface Case {
  readonly incoming: ModelRequest
  readonly expected: Expectation
  readonly raw: Raw
  readonly names: Names
  /** Texts of answers by request name. */
  readonly texts: Map<string, string>
  /** Answer text → tag, and tag → answer text. */
  readonly tags: Map<string, string>
  readonly document: Document
  readonly limits: Remaining
  readonly now: number
}

/** The first difference in words; `null` without one. */
export function differences(held: Case): string | null {
  const { expected, raw } = held
  const code = codeOf(raw)
  if (raw.status !== expected.status || code !== expected.code) {
    const wanted = `${expected.status} ${expected.code ?? ''} ${JSON.stringify(expected.param) ?? ''}`
    return `is ${raw.status} ${raw.text.slice(0, 400)}, not ${wanted}`
  }
  return headerFault(held) ?? bodyFault(held, code) ?? documentFault(held)
}

function codeOf({ text, status }: Raw): string | null {
  if (status < 400) return null
  try {
    return JSON.parse(text).error?.code ?? null
  } catch {
    return null
  }
}

function bodyFault({ expected, raw, names, texts }: Case, code: string | null): string | null {
  if (code !== null) return errorFault(expected, raw, code)
  if (raw.status === 304) return raw.text === '' ? null : 'a 304 has a body'
  if (expected.frames !== null) return framesFault(expected.frames, raw, names)
  if (expected.replayOf !== null) {
    const first = texts.get(expected.replayOf)
    return raw.text === first ? null : `the replay is ${raw.text.slice(0, 300)}, the first was ${first?.slice(0, 300)}`
  }
  const found = names.differs(expected.answer as Expected, JSON.parse(raw.text), expected.isDryRun)
  if (found === null) texts.set(expected.request, raw.text)
  return found
}

const fields = ['type', 'code', 'message', 'param', 'details', 'request_id']

function errorFault({ param }: Expectation, { text, headers }: Raw, code: string): string | null {
  const { error, ...rest } = JSON.parse(text)
  const [, type] = kinds[code as Code] ?? []
  const isWhole = error.type === type && typeof error.message === 'string' && error.message !== ''
  const isClosed = Object.keys(error).every((name) => fields.includes(name)) && Object.keys(rest).length === 0
  if (!isWhole || !isClosed) return `is not the envelope: ${text.slice(0, 300)}`
  if (error.request_id !== headers['x-request-id']) return 'names another request'
  if (param === undefined) return null
  const isRight = Array.isArray(param) ? param.includes(error.param) : (error.param ?? null) === param
  return isRight ? null : `the parameter at fault is ${error.param}, not ${param}: ${text.slice(0, 300)}`
}

function framesFault(frames: readonly Expected[], { text }: Raw, names: Names): string | null {
  const [retry, connected, ...rest] = text.split('\n').filter((line) => line !== '')
  if (retry !== 'retry: 3000' || connected !== ': connected') return `the stream begins with ${text.slice(0, 100)}`
  const events = rest.flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
  const ids = rest.flatMap((line) => (line.startsWith('id: ') ? [line.slice(4)] : []))
  if (ids.join() !== events.map(({ id }) => id).join()) return 'the ids of frames are not those of their events'
  return names.differs(frames, events)
}

function headerFault(held: Case): string | null {
  const { incoming, expected, raw } = held
  const { headers, status } = raw
  const wrong = (name: string, value: string | undefined): string | null =>
    headers[name] === value ? null : `${name} is ${headers[name]}, not ${value}`
  const isRead = incoming.operation.method === 'GET'
  const isKept = isRead && incoming.operation.id !== 'jobs.retrieve' && incoming.operation.id !== 'events.stream'
  return (
    requestFault(held) ??
    wrong('cache-control', `private, ${isKept ? 'no-cache' : 'no-store'}`) ??
    wrong('vary', 'Authorization, Service-Version') ??
    wrong('x-ratelimit-cost', status === 200 ? String(incoming.operation.credits) : undefined) ??
    wrong('preference-applied', expected.isDryRun ? 'dry-run' : undefined) ??
    wrong('www-authenticate', status === 401 ? 'Bearer' : undefined) ??
    wrong('idempotent-replayed', expected.replayOf === null ? undefined : 'true') ??
    tagFault(held) ??
    creditsFault(held)
  )
}

/** A request has a new id; a replay names the original request. */
function requestFault({ expected, raw, names }: Case): string | null {
  const own = names.differs(expected.request, raw.headers['x-request-id'])
  if (own !== null || expected.replayOf === null) return own
  return names.differs(expected.replayOf, raw.headers['original-request'])
}

function tagFault({ incoming, expected, raw, names, tags }: Case): string | null {
  const { etag } = raw.headers
  const isTagged = incoming.operation.method === 'GET' && raw.status < 400
  if (!isTagged) return etag === undefined ? null : `ETag on ${raw.status}`
  if (incoming.operation.id === 'events.stream') return etag?.startsWith('W/"') ? null : `ETag is ${etag}`
  if (etag === undefined) return 'ETag is missing'
  if (raw.status === 304) return null
  const known = tags.get(raw.text)
  if (known !== undefined && known !== etag) return `the same bytes have the tags ${known} and ${etag}`
  const bytes = tags.get(etag)
  if (bytes !== undefined && bytes !== raw.text) return `the tag ${etag} stands for other bytes`
  tags.set(raw.text, etag)
  tags.set(etag, raw.text)
  const { revision, tag } = expected
  const isRight = revision === null ? /^"[\w-]+"$/.test(etag) : etag.startsWith(`"${revision}-`)
  if (!isRight) return `ETag is ${etag} at revision ${revision}`
  if (tag !== null && !names.knows(tag)) names.bind(tag, etag)
  return null
}

function creditsFault({ expected, raw, limits, now }: Case): string | null {
  const { remaining } = expected
  const said = raw.headers.ratelimit
  if (remaining === 'unknown') return null
  if (remaining === null) return said === undefined ? null : `RateLimit is ${said} before anything was counted`
  const spanned = (['minute', 'day', 'plan_day'] as const).filter((span) => limits[span] !== null)
  const wanted = spanned
    .map((span) => `"${span}";r=${remaining[span]};t=${spans[span] - (now % spans[span])}`)
    .join(', ')
  if ((said ?? '') !== wanted) return `RateLimit is ${said}, not ${wanted}`
  const least = Math.min(...spanned.map((span) => remaining[span] as number))
  const left = raw.headers['x-ratelimit-remaining']
  return spanned.length === 0 || left === String(least) ? null : `X-RateLimit-Remaining is ${left}, not ${least}`
}

const retried = new Set([
  'rate_limit_exceeded',
  'rate_limit_unavailable',
  'credential_validation_unavailable',
  'idempotency_in_progress',
])

function documentFault({ incoming, raw, document }: Case): string | null {
  const code = codeOf(raw)
  const isRetried = raw.headers['retry-after'] !== undefined
  if (isRetried !== (code !== null && retried.has(code)))
    return `Retry-After is ${raw.headers['retry-after']} with ${code}`
  const isJson = raw.headers['content-type']?.startsWith('application/json') === true && raw.text !== ''
  const faults = document.faults(incoming.operation.id, raw, isJson ? JSON.parse(raw.text) : raw.text)
  return faults.length === 0 ? null : `differs from the document: ${faults.slice(0, 3).join('; ')}`
}
