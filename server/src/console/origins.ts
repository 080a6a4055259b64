/**
 * The origins of the console's pages. An installation has one public origin; on the loopback interface it also answers
 * to the other loopback names. Sign-in requires HTTPS or the loopback interface, where the cookie cannot be intercepted.
 */
import { isIP } from 'node:net'
import { refuse } from '../api/declare/errors.ts'
import type { Request } from '../api/declare/request.ts'
import type { Settings } from '../api/services.ts'
import { isGlobalUnicast } from '../egress/addresses.ts'

const loopback_names = ['127.0.0.1', 'localhost', '[::1]']

/** Where a server without a public URL listens on all addresses, that of the loopback interface included. */
const wildcard_names = ['0.0.0.0', '[::]']

/** The console's origins, the public one first. */
export function originsOf(publicUrl: string): readonly string[] {
  const { origin, protocol, hostname, port } = new URL(publicUrl)
  if (![...loopback_names, ...wildcard_names].includes(hostname)) return [origin]
  const others = loopback_names.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`)
  return [origin, ...others.filter((other) => other !== origin)]
}

export function isSecure(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || loopback_names.includes(hostname)
}

/** The origin of the page that sends a write. Refuses origins other than the console's. */
export function requireOwnOrigin(request: Request, publicUrl: string): string {
  const origins = originsOf(publicUrl)
  const { origin, 'sec-fetch-site': site } = request.headers
  if (typeof origin === 'string' && origins.includes(origin)) return origin
  // Browsers that omit Origin still send Sec-Fetch-Site, which scripts cannot set.
  if (origin === undefined && site === 'same-origin') return ownOrigin(request, publicUrl)
  throw refuse('csrf_failed', { param: 'Origin', message: `Send the request from a page of ${origins[0]}.` })
}

/** The console's origin that matches the Host header, else the public one. */
export function ownOrigin(request: Request, publicUrl: string): string {
  const [first = '', ...others] = originsOf(publicUrl)
  return others.find((other) => new URL(other).host === request.headers.host) ?? first
}

/** Why this origin cannot use passkeys, or `null`. A passkey's RP ID is a domain, not an IP address (WebAuthn §5.1.3). */
export function passkeysUnavailable(origin: string): string | null {
  const { hostname, port, protocol } = new URL(origin)
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) === 0) return null
  const named = loopback_names.includes(hostname) ? `${protocol}//localhost:${port}` : 'the server by a host name'
  return `Passkeys need a host name, but ${hostname} is an IP address. Open ${named}.`
}

/**
 * The client's IP address. Where the operator names the proxies, it is that of the request. Otherwise, with an HTTPS public URL and
 * a peer on a private network, the peer is a reverse proxy and its last `X-Forwarded-For` entry counts. A peer on the public
 * internet cannot set another address.
 */
export function addressOf(
  request: Request,
  { publicUrl, trustedProxies }: Pick<Settings, 'publicUrl' | 'trustedProxies'>,
): string {
  const peer = request.ip.replace(/^::ffff:/, '')
  if (trustedProxies.length > 0) return peer
  if (!publicUrl.startsWith('https:') || isGlobalUnicast(peer)) return peer
  const forwarded = request.headerValues('x-forwarded-for').join(',').split(',').at(-1)?.trim() ?? ''
  return isIP(forwarded) === 0 ? peer : forwarded
}
