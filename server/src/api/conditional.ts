/** Conditional requests: ETag, `If-None-Match`, `If-Match` (contract §4.1, decisions §5). */
import { hash } from 'node:crypto'
import { matchesNone, parseIfMatch } from '../lib/http-tags.ts'
import { refuse } from './errors.ts'
import type { Request } from './request.ts'

export type Precondition = { readonly any: true } | { readonly revisions: readonly number[] }

/**
 * A strong tag of the bytes: equal exactly when they are. A single object that can change carries its revision in
 * front, which is what `If-Match` compares; the tag of anything else has no dash, so that it never reads like one.
 */
export function etagOf(body: string, revision: number | undefined): string {
  if (revision === undefined) return `"${hash('sha256', body, 'hex').slice(0, 32)}"`
  return `"${revision}-${hash('sha256', body, 'base64url').slice(0, 22)}"`
}

export function notModified(request: Request, etag: string): boolean {
  const header = request.headers['if-none-match']
  return header !== undefined && matchesNone(String(header), etag)
}

/** The revision a write depends on; an unreadable header is refused as part of the body's input. */
export function readIfMatch(request: Request): Precondition | null {
  const header = request.headers['if-match']
  if (header === undefined) return null
  const parsed = parseIfMatch(String(header))
  if (parsed === null) {
    throw refuse('invalid_request_body', { param: 'If-Match', message: 'If-Match must hold an ETag or a revision.' })
  }
  return parsed
}

/** Refuses a write that depends on another revision than the object's (409, names the current one). */
export function requireRevision(precondition: Precondition | null, current: number | undefined): void {
  if (precondition === null || 'any' in precondition || current === undefined) return
  if (precondition.revisions.includes(current)) return
  throw refuse('resource_conflict', {
    param: 'If-Match',
    message: `The object has changed: its current revision is ${current}.`,
  })
}
