/**
 * Where pages of the console come from. There is one public origin; an installation on the loopback may be reached by any
 * name of the loopback. A session's cookie is only set where nobody on the way can read it: over HTTPS, or on the loopback.
 */
import { isIP } from 'node:net'
import { refuse } from '../api/errors.ts'
import type { Request } from '../api/request.ts'
import { isGlobalUnicast } from '../lib/addresses.ts'

const loopback_names = ['127.0.0.1', 'localhost', '[::1]']

/** The origins that the console's pages can have, the public one first. */
export function originsOf(publicUrl: string): readonly string[] {
  const { origin, protocol, hostname, port } = new URL(publicUrl)
  if (!loopback_names.includes(hostname)) return [origin]
  const others = loopback_names.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`)
  return [origin, ...others.filter((other) => other !== origin)]
}

export function isSecure(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl)
  return protocol === 'https:' || loopback_names.includes(hostname)
}

/** The origin of the page that sends a request which changes something. Refuses every other. */
export function requireOwnOrigin(request: Request, publicUrl: string): string {
  const origins = originsOf(publicUrl)
  const { origin, 'sec-fetch-site': site } = request.headers
  if (typeof origin === 'string' && origins.includes(origin)) return origin
  // A browser that hides the origin still says whose page it is, and no page can change that.
  if (origin === undefined && site === 'same-origin') return ownOrigin(request, publicUrl)
  throw refuse('csrf_failed', { param: 'Origin', message: `Requests are taken from pages of ${origins[0]} only.` })
}

/** The origin by which a request reached the server, as far as it is one of the console's. */
export function ownOrigin(request: Request, publicUrl: string): string {
  const [first = '', ...others] = originsOf(publicUrl)
  return others.find((other) => new URL(other).host === request.headers.host) ?? first
}

/** Why no passkey can be used on pages of this origin: they belong to a domain, not to an address (WebAuthn §5.1.3). */
export function passkeysUnavailable(origin: string): string | null {
  const { hostname, port, protocol } = new URL(origin)
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) === 0) return null
  const named = loopback_names.includes(hostname) ? `${protocol}//localhost:${port}` : 'the server by a host name'
  return `Passkeys belong to a host name, and ${hostname} is an address. Open ${named}.`
}

/**
 * Whose address a request came from. Behind a proxy that ends HTTPS on the same machine or network it is the one that the
 * proxy has seen; whoever speaks to the server directly cannot claim another.
 */
export function addressOf(request: Request, publicUrl: string): string {
  const peer = request.ip.replace(/^::ffff:/, '')
  if (!publicUrl.startsWith('https:') || isGlobalUnicast(peer)) return peer
  const forwarded = request.headerValues('x-forwarded-for').join(',').split(',').at(-1)?.trim() ?? ''
  return isIP(forwarded) === 0 ? peer : forwarded
}
