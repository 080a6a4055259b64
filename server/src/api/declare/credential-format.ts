/**
 * The format of API keys and access tokens (contract/07#key-format), and the search for credentials in URLs and log lines,
 * where none may be (contract/07#credentials-in-urls). The format: `atr_`, in an access token also `at_`, then `live_` or
 * `test_`, 30 random base-62 characters, and a checksum: the CRC-32 of all characters before it in 6 base-62 characters, so
 * that a typo is found without a query.
 */
import { crc32 } from 'node:zlib'
import { fromBase62, randomBase62, toBase62 } from '../../lib/base62.ts'

export interface CredentialForm {
  kind: 'api_key' | 'access_token'
  mode: 'live' | 'test'
}

const random_chars = 30
const checksum_chars = 6
/** Rounds of percent-decoding in the search for a credential: more than chains of proxies add. */
const decodings_max = 5

const form = /^atr_(?:at_)?(?:live|test)_[0-9A-Za-z]{36}$/
/** Also tokens of provisioning, which no request of the API is made with. */
const trace = /atr_(?:at_)?(?:live|test|scim)_[0-9A-Za-z]{20}/
/** The same with the rest of the credential, which may be percent-encoded. */
const traces = /(atr_(?:at_)?(?:live|test|scim)_)[0-9A-Za-z]{20}(?:[0-9A-Za-z]|%25|%[3-7][0-9A-Fa-f])*/g

/** 1 for the character codes that credentials consist of, and for the percent sign, which may hide further encoding. */
const decodable = new Uint8Array(128)
for (const char of '%_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz') decodable[char.charCodeAt(0)] = 1

const forms: Record<string, CredentialForm> = {
  atr_live_: { kind: 'api_key', mode: 'live' },
  atr_test_: { kind: 'api_key', mode: 'test' },
  atr_at_live_: { kind: 'access_token', mode: 'live' },
  atr_at_test_: { kind: 'access_token', mode: 'test' },
}

/** A new credential with 178 random bits. The caller shows it once and stores only its digest (contract/07#stored-credentials). */
export function makeCredential(kind: CredentialForm['kind'], mode: CredentialForm['mode']): string {
  const text = `${kind === 'api_key' ? 'atr' : 'atr_at'}_${mode}_${randomBase62(random_chars)}`
  return text + toBase62(crc32(text), checksum_chars)
}

/** The kind and mode of a credential; null if its format or checksum is wrong. Does not check whether it exists. */
export function readCredential(text: string): CredentialForm | null {
  if (text.length > 48 || !form.test(text)) return null
  const end = text.length - checksum_chars
  if (crc32(text.slice(0, end)) !== fromBase62(text.slice(end))) return null
  return forms[text.slice(0, end - random_chars)] ?? null
}

/** Whether `text` contains a credential or at least its first 20 random characters. Ignores the checksum; decodes nothing. */
export function looksLikeCredential(text: string): boolean {
  return text.includes('atr_') && trace.test(text)
}

/**
 * Whether any part of the URL contains text that `looksLikeCredential`, percent-encoded up to five times. Such a URL is
 * refused (contract/07#credentials-in-urls). Malformed escapes are not decoded.
 */
export function urlHoldsCredential(rawUrl: string): boolean {
  return redactCredentials(rawUrl) !== rawUrl
}

/**
 * `text` without credentials, for a log: whatever `looksLikeCredential`, percent-encoded up to five times, is cut to its
 * prefix and `…` (contract/09#redaction). If a credential was encoded, the text is returned decoded as far as was needed to
 * find it; other text is returned unchanged.
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

/** Decodes only the escapes of letters, digits, `_` and `%`: most URLs contain none of them. */
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
