/** The faults of http.request: an address that can be called, headers that are the caller's to set, a secret that stays. */
import { at, isRecord } from './shape.ts'

type Say = (param: string, what: string) => void

/** What the connection, the engine or the secret sets. */
const reserved = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export function httpFaults(config: Readonly<Record<string, unknown>>, path: string, say: Say): void {
  const { method, url, headers, secret, body } = config
  sayUrl(url, secret !== undefined, at(path, 'url'), say)
  sayHeaders(headers, secret !== undefined, at(path, 'headers'), say)
  if (method === 'GET' && body !== undefined) say(at(path, 'body'), 'must not be sent with GET')
}

function sayUrl(url: unknown, hasSecret: boolean, path: string, say: Say): void {
  if (typeof url === 'string') {
    const fault = urlFault(url)
    if (fault !== undefined) say(path, fault)
    return
  }
  if (!hasSecret || !isRecord(url)) return
  const start = typeof url.$template === 'string' ? url.$template.split('{{')[0] : undefined
  if (start === undefined || !/^https?:\/\/[^/?#\\@]+\//i.test(start)) {
    say(path, 'must begin with a host that is written out, because a secret is sent there')
  }
}

function urlFault(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !/^https?:\/\//i.test(text)) return 'must be an https URL'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password'
  return url.hash === '' ? undefined : 'must not hold a fragment'
}

function sayHeaders(headers: unknown, hasSecret: boolean, path: string, say: Say): void {
  if (!isRecord(headers)) return
  const names = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (reserved.has(lower)) say(at(path, name), 'is not set by a graph')
    if (hasSecret && lower === 'authorization') say(at(path, name), 'is what the secret is sent in')
    if (names.has(lower)) say(at(path, name), 'is there twice')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are what a header cannot hold
    if (typeof value === 'string' && /[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) {
      say(at(path, name), 'holds a character that headers cannot')
    }
    names.add(lower)
  }
}
