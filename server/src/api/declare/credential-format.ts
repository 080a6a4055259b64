/**
 * How API keys and access tokens look (contract/07#key-format), and how one is found where it must not be: in a URL or a log line
 * (contract/07#credentials-in-urls). The form: `atr_`, for an access token `at_`, then `live_` or `test_`, 30 random base-62 characters
 * and their checksum: the CRC-32 of everything before it in 6 base-62 characters. A typo is seen without a look-up.
 */
import { crc32 } from 'node:zlib'
import { fromBase62, randomBase62, toBase62 } from '../../lib/base62.ts'

export interface CredentialForm {
  kind: 'api_key' | 'access_token'
  mode: 'live' | 'test'
}

const random_chars = 30
const checksum_chars = 6
/** How often a text is decoded in the search for a credential: enough for what proxies and double encoders make. */
const decodings_max = 5

const form = /^atr_(?:at_)?(?:live|test)_[0-9A-Za-z]{36}$/
const trace = /atr_(?:at_)?(?:live|test)_[0-9A-Za-z]{20}/
/** As `trace`, with all that follows of it, be it encoded. */
const traces = /(atr_(?:at_)?(?:live|test)_)[0-9A-Za-z]{20}(?:[0-9A-Za-z]|%25|%[3-7][0-9A-Fa-f])*/g

/**
 * 1 for the character codes that credentials consist of, and for the percent sign, behind which more of them may hide.
 */
const decodable = new Uint8Array(128)
for (const char of '%_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz') decodable[char.charCodeAt(0)] = 1

const forms: Record<string, CredentialForm> = {
  atr_live_: { kind: 'api_key', mode: 'live' },
  atr_test_: { kind: 'api_key', mode: 'test' },
  atr_at_live_: { kind: 'access_token', mode: 'live' },
  atr_at_test_: { kind: 'access_token', mode: 'test' },
}

/**
 * A fresh credential, about 178 bits of it random. The caller shows it once and keeps only its digest (contract/07#stored-credentials).
 */
export function makeCredential(kind: CredentialForm['kind'], mode: CredentialForm['mode']): string {
  const text = `${kind === 'api_key' ? 'atr' : 'atr_at'}_${mode}_${randomBase62(random_chars)}`
  return text + toBase62(crc32(text), checksum_chars)
}

/** What `text` says it is, or null when it is malformed or its checksum is wrong. Says nothing about its validity. */
export function readCredential(text: string): CredentialForm | null {
  if (text.length > 48 || !form.test(text)) return null
  const end = text.length - checksum_chars
  if (crc32(text.slice(0, end)) !== fromBase62(text.slice(end))) return null
  return forms[text.slice(0, end - random_chars)] ?? null
}

/**
 * Whether a credential, or at least 20 characters of one, stands anywhere in `text`, whatever its checksum; not
 * decoded.
 */
export function looksLikeCredential(text: string): boolean {
  return text.includes('atr_') && trace.test(text)
}

/**
 * Whether the URL, in any part and percent-encoded up to five times over, holds something that `looksLikeCredential`:
 * it is refused then (contract/07#credentials-in-urls). Malformed escapes are left as they are.
 */
export function urlHoldsCredential(rawUrl: string): boolean {
  return redactCredentials(rawUrl) !== rawUrl
}

/**
 * `text` fit for a log: everything that `looksLikeCredential`, percent-encoded up to five times over, is cut to its
 * prefix and `…` (contract/09#redaction). Text that hid one behind encoding comes back decoded as far as that took; any other
 * text comes back unchanged.
 */
export function redactCredentials(text: string): string {
  let shown = withoutTraces(text)
  let level = shown
  for (let i = 0; i < decodings_max && level.includes('%'); i++) {
    const next = decodedOnce(level)
    if (next === level) break
    level = withoutTraces(next)
    if (level !== next) shown = level
  }
  return shown
}

function withoutTraces(text: string): string {
  return text.includes('atr_') ? text.replace(traces, '$1…') : text
}

/** Decodes the escapes of letters, digits, the underscore and the percent sign, and no others: most URLs have none. */
function decodedOnce(text: string): string {
  let built = ''
  let done = 0
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', Math.max(done, at + 1))) {
    const code = hexDigit(text.charCodeAt(at + 1)) * 16 + hexDigit(text.charCodeAt(at + 2))
    if (!(code < 128) || decodable[code] === 0) continue
    built += text.slice(done, at) + String.fromCharCode(code)
    done = at + 3
  }
  return done === 0 ? text : built + text.slice(done)
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}
