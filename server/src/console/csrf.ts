/**
 * The CSRF token. Only a page of the console's own origin can read it from `GET session`, so only such a page can send
 * it. It is derived from the session's id; signed out, it is the same for the whole installation.
 */
import { refuse } from '../api/declare/errors.ts'
import type { Request } from '../api/declare/request.ts'
import type { Sealer } from '../lib/seal.ts'

export function csrfOf(sealer: Sealer, session: string | null): string {
  return sealer.sign('console csrf', signedText(session)).toString('base64url')
}

function signedText(session: string | null): string {
  return session ?? 'nobody'
}

/** Refuses a request whose `X-CSRF` is not the session's. `now` is in milliseconds. */
export function requireCsrf(request: Request, sealer: Sealer, session: string | null, now: number): void {
  const [sent, ...more] = request.headerValues('x-csrf')
  if (sent !== undefined && more.length === 0 && sealer.isSigned('console csrf', signedText(session), sent, now)) return
  throw refuse('csrf_failed', { param: 'X-CSRF' })
}
