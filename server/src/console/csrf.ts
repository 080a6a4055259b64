/**
 * The CSRF token. Only a page of the console's own origin can read it from `GET session`, so only such a page can send
 * it. It is derived from the session's id; signed out, it is the same for the whole installation.
 */
import { refuse } from '../api/declare/errors.ts'
import type { Request } from '../api/declare/request.ts'
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
