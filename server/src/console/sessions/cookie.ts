/**
 * The session's cookie. `__Host-` makes browsers refuse it from another host, from a subdomain and without `Secure`;
 * `SameSite=Strict` keeps it at home; no script can read it.
 */
import type { Request } from '../../api/request.ts'
import { randomBase62 } from '../../lib/base62.ts'
import { limits } from '../../lib/limits.ts'
import type { Cookie } from '../endpoint.ts'

const cookie_name = '__Host-atrium'
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'
const form = new RegExp(`^[0-9A-Za-z]{${limits.session_secret_chars}}$`)

export function newSecret(): string {
  return randomBase62(limits.session_secret_chars)
}

/** What could be a session's value; `null` where there is none, or more than one. */
export function readCookie(request: Request): string | null {
  const found = request.headerValues('cookie').flatMap((header) =>
    header.split(';').flatMap((pair) => {
      const at = pair.indexOf('=')
      return pair.slice(0, at).trim() === cookie_name ? [pair.slice(at + 1).trim()] : []
    }),
  )
  const [value] = found
  return value !== undefined && found.length === 1 && form.test(value) ? value : null
}

/** The `Set-Cookie` header; `null` removes it from the browser. */
export function writeCookie(cookie: Cookie | null, now: number): string {
  if (cookie === null) return `${cookie_name}=; ${attributes}; Max-Age=0`
  const seconds_left = Math.max(0, Math.floor((cookie.expiresAt - now) / 1000))
  return `${cookie_name}=${cookie.value}; ${attributes}; Max-Age=${seconds_left}`
}
