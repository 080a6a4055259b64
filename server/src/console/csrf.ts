/**
 * The proof that a request was written by a page that may read what this origin answers: no other site can. It belongs to
 * one session, and before there is one to the installation.
 */
import { refuse } from '../api/errors.ts'
import type { Request } from '../api/request.ts'
import { type Sealer, sameBytes } from '../lib/seal.ts'

export function csrfOf(sealer: Sealer, session: string | null): string {
  return sealer.mac('console csrf', session ?? 'nobody').toString('base64url')
}

/** Refuses a request whose `X-CSRF` is not the session's. */
export function requireCsrf(request: Request, sealer: Sealer, session: string | null): void {
  const [sent, ...more] = request.headerValues('x-csrf')
  if (sent !== undefined && more.length === 0 && sameBytes(sent, csrfOf(sealer, session))) return
  throw refuse('csrf_failed', { param: 'X-CSRF' })
}
