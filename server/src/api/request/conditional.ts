/** Conditional requests: ETag, `If-None-Match`, `If-Match` (contract/05). */
import { hash } from 'node:crypto'
import { refuse } from '../declare/errors.ts'
import type { Precondition, Request } from '../declare/request.ts'
import { matchedTag, parseIfMatch } from './http-tags.ts'

/**
 * A strong entity tag: equal exactly when the bytes are equal. The tag of a mutable object starts with its revision, which
 * `If-Match` compares. Other tags contain no dash, so they are never read as a revision.
 */
export function etagOf(body: string, revision: number | undefined): string {
  if (revision === undefined) return `"${hash('sha256', body, 'hex').slice(0, 32)}"`
  return `"${revision}-${hash('sha256', body, 'base64url').slice(0, 22)}"`
}

/** The tag of the 304 to answer with; null if the client does not hold the current answer. */
export function notModifiedTag(request: Request, etag: string): string | null {
  const header = request.headers['if-none-match']
  return header === undefined ? null : matchedTag(String(header), etag)
}

/** The precondition of a write. Refuses a malformed header. */
export function readIfMatch(request: Request): Precondition | null {
  const header = request.headers['if-match']
  if (header === undefined) return null
  const parsed = parseIfMatch(String(header))
  if (parsed === null) {
    throw refuse('invalid_request_body', { param: 'If-Match', message: 'If-Match must be an ETag or a revision.' })
  }
  return parsed
}

/** Refuses with 409 when the precondition names another revision than the current one. */
export function requireRevision(precondition: Precondition | null, current: number | undefined): void {
  if (precondition === null || 'any' in precondition || current === undefined) return
  if (precondition.revisions.includes(current)) return
  throw refuse('resource_conflict', {
    param: 'If-Match',
    message: `The object has changed: its current revision is ${current}.`,
  })
}
