/** The secret of a token for provisioning. `/v1` does not accept it, and SCIM does not accept credentials of `/v1`. */
import { randomBase62 } from '../../lib/base62.ts'
import { console_limits } from '../limits.ts'

const prefix = 'atr_scim_'
const length = prefix.length + console_limits.session_secret_chars
const form = /^atr_scim_[0-9A-Za-z]+$/

/** A new secret, and what lists show of it. */
export function newScimSecret(): { readonly secret: string; readonly hint: string } {
  const secret = prefix + randomBase62(console_limits.session_secret_chars)
  return { secret, hint: secret.slice(0, prefix.length + 4) }
}

export function isScimSecret(text: string): boolean {
  return text.length === length && form.test(text)
}
