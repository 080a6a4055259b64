/**
 * Redirect URIs: which ones a client may register, and which of them a request means. They are compared character by
 * character. A program on the person's computer listens on a port that it gets at the moment, so the port of a loopback address
 * does not count (RFC 8252 §7.3).
 */
import { console_limits } from '../limits.ts'
import { OauthError, shown } from './errors.ts'

const loopback_hosts = ['127.0.0.1', '[::1]', 'localhost']

/** Refuses a URI that may not be registered. `name` is the parameter of the message. */
export function requireRedirectUri(uri: string, name: string): void {
  const refuse = (reason: string) => new OauthError('invalid_redirect_uri', `${name} ${shown(uri)} ${reason}`)
  if (uri.length > console_limits.oauth_redirect_uri_chars_max)
    throw refuse(`is longer than ${console_limits.oauth_redirect_uri_chars_max} characters.`)
  const url = isPrintable(uri) ? URL.parse(uri) : null
  if (url === null) throw refuse('is not an absolute URI in printable ASCII.')
  if (uri.includes('#')) throw refuse('has a fragment. Leave out what begins with #.')
  if (url.username !== '' || url.password !== '') throw refuse('has a user name or a password. Leave them out.')
  if (url.protocol === 'https:' || isLoopback(url)) return
  if (url.protocol === 'http:') throw refuse('uses http. Use https, or http with 127.0.0.1, [::1] or localhost.')
  // A scheme of an application is a domain name backwards (RFC 8252 §7.1), so none of a browser's own schemes is one.
  if (!url.protocol.includes('.'))
    throw refuse(
      'has a scheme that is not allowed. Use https, http on a loopback address, or a scheme such as com.example.app.',
    )
}

/** Whether a URI of a request is one of the registered ones. */
export function isRegistered(registered: readonly string[], sent: string): boolean {
  return registered.includes(sent) || registered.some((uri) => isSameButPort(uri, sent))
}

/** Where the browser goes, as the person reads it: the host, or the scheme of an application. */
export function hostOf(uri: string): string {
  const url = new URL(uri)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol.slice(0, -1)
}

/** Whether the URI leads to the person's own computer. */
export function isLocal(uri: string): boolean {
  return isLoopback(new URL(uri))
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && loopback_hosts.includes(hostname)
}

function isSameButPort(registered: string, sent: string): boolean {
  const [one, other] = [URL.parse(registered), URL.parse(sent)]
  if (one === null || other === null || !isLoopback(one) || !isLoopback(other)) return false
  return withoutPort(registered, one) === withoutPort(sent, other)
}

/** The text without the port of its host; everything else stays as it was written. */
function withoutPort(text: string, { hostname, port }: URL): string {
  return port === '' ? text : text.replace(`//${hostname}:${port}`, `//${hostname}`)
}

function isPrintable(text: string): boolean {
  return /^[!-~]+$/.test(text)
}
