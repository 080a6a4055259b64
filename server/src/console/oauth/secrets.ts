/**
 * The secrets of the protocol besides access tokens: codes, refresh tokens and the secrets of confidential clients. The
 * database has their digests only. A refresh token names its grant and is signed, so that an old one is recognized without
 * keeping the digests of all.
 */
import { randomBase62 } from '../../lib/base62.ts'
import { type Sealer, sameBytes } from '../../lib/seal.ts'

const random_chars = 43
const mac_chars = 32
const prefixes = { code: 'atr_code_', client: 'atr_client_', refresh: 'atr_refresh_' } as const

export function newCode(): string {
  return prefixes.code + randomBase62(random_chars)
}

/** A client's secret, and what lists show of it. */
export function newClientSecret(): { readonly secret: string; readonly hint: string } {
  const secret = prefixes.client + randomBase62(random_chars)
  return { secret, hint: secret.slice(0, prefixes.client.length + 4) }
}

export function newRefreshToken(sealer: Sealer, grant: string): string {
  const body = `${grant}_${randomBase62(random_chars)}`
  return `${prefixes.refresh}${body}_${macOf(sealer, body)}`
}

/** The grant of a refresh token that this installation has issued, now or before; null for any other text. */
export function grantOfRefreshToken(sealer: Sealer, token: string): string | null {
  if (!token.startsWith(prefixes.refresh) || token.length > 200) return null
  const end = token.lastIndexOf('_')
  const body = token.slice(prefixes.refresh.length, end)
  if (!sameBytes(token.slice(end + 1), macOf(sealer, body))) return null
  return body.slice(0, body.lastIndexOf('_'))
}

function macOf(sealer: Sealer, body: string): string {
  return sealer.mac('refresh token', body).toString('hex').slice(0, mac_chars)
}
