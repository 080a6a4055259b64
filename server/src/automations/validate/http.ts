/**
 * Faults of http.request: a URL that cannot be called, a header that graphs cannot set, a host that could leak the
 * secret (contract/16#secrets).
 */
import { at, isRecord } from '../shape.ts'

type AddFault = (param: string, what: string) => void

/** Headers that the connection, the engine or the secret sets. */
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

export function httpFaults(config: Readonly<Record<string, unknown>>, path: string, addFault: AddFault): void {
  const { method, url, headers, secret, body } = config
  checkUrl(url, secret !== undefined, at(path, 'url'), addFault)
  checkHeaders(headers, secret !== undefined, at(path, 'headers'), addFault)
  if (method === 'GET' && body !== undefined) addFault(at(path, 'body'), 'must not be sent with GET')
}

function checkUrl(url: unknown, hasSecret: boolean, path: string, addFault: AddFault): void {
  if (typeof url === 'string') {
    const fault = urlFault(url)
    if (fault !== undefined) addFault(path, fault)
    return
  }
  if (!hasSecret || !isRecord(url)) return
  const start = typeof url.$template === 'string' ? url.$template.split('{{')[0] : undefined
  if (start === undefined || !/^https?:\/\/[^/?#\\@]+\//i.test(start)) {
    addFault(path, 'must start with a literal host, because a secret is sent there')
  }
}

function urlFault(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !/^https?:\/\//i.test(text)) return 'must be an https URL'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password'
  return url.hash === '' ? undefined : 'must not contain a fragment'
}

function checkHeaders(headers: unknown, hasSecret: boolean, path: string, addFault: AddFault): void {
  if (!isRecord(headers)) return
  const names = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (reserved.has(lower)) addFault(at(path, name), 'is a header that graphs cannot set')
    if (hasSecret && lower === 'authorization') addFault(at(path, name), 'is the header that carries the secret')
    if (names.has(lower)) addFault(at(path, name), 'is repeated')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are what a header cannot hold
    if (typeof value === 'string' && /[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) {
      addFault(at(path, name), 'contains a character that headers cannot contain')
    }
    names.add(lower)
  }
}
