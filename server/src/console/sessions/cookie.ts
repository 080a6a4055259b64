/**
 * The session cookie. The `__Host-` prefix makes browsers reject it when another host or subdomain sets it, or without
 * `Secure`; `SameSite=Strict` withholds it from cross-site requests; `HttpOnly` hides it from scripts.
 */
import type { Request } from '../../api/declare/request.ts'
import { randomBase62 } from '../../lib/base62.ts'
import type { Cookie } from '../endpoint.ts'
import { console_limits } from '../limits.ts'

const cookie_name = '__Host-atrium'
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'
const value_pattern = new RegExp(`^[0-9A-Za-z]{${console_limits.session_secret_chars}}$`)

export function newSecret(): string {
  return randomBase62(console_limits.session_secret_chars)
}

/** The session cookie's value if it has the right format; `null` if it is missing or sent more than once. */
export function readCookie(request: Request): string | null {
  return readCookieNamed(request, cookie_name)
}

/** The same of another cookie with a secret. */
export function readCookieNamed(request: Request, name: string): string | null {
  const values = request.headerValues('cookie').flatMap((header) =>
    header.split(';').flatMap((pair) => {
      const equals = pair.indexOf('=')
      return pair.slice(0, equals).trim() === name ? [pair.slice(equals + 1).trim()] : []
    }),
  )
  const [value] = values
  return value !== undefined && values.length === 1 && value_pattern.test(value) ? value : null
}

/** The `Set-Cookie` header; `null` removes it from the browser. */
export function writeCookie(cookie: Cookie | null, now: number): string {
  if (cookie === null) return `${cookie_name}=; ${attributes}; Max-Age=0`
  const seconds_left = Math.max(0, Math.floor((cookie.expiresAt - now) / 1000))
  return `${cookie_name}=${cookie.value}; ${attributes}; Max-Age=${seconds_left}`
}
