/**
 * Sends notices to browsers through the push service that the browser named (RFC 8030): encrypted for that browser (RFC 8291), so
 * that the service cannot read them, and signed by the installation's key pair (RFC 8292). The only user of the library for that,
 * which is imported at the first use. Every request passes the egress guard.
 */
import type { Clock } from '../lib/clock.ts'
import { second_ms } from '../lib/units.ts'
import type { Egress } from './egress.ts'
import { egress_limits } from './limits.ts'

/** Where a browser receives notices, with the keys to encrypt for it; keys in base64url. */
export interface PushTarget {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
}

/** The key pair of the installation, in base64url: an uncompressed point and a scalar of P-256. */
export interface VapidKeys {
  readonly publicKey: string
  readonly privateKey: string
  /** Whom a push service may ask about the notices: a mailto or https URL. */
  readonly subject: string
}

export interface PushNotice {
  readonly payload: string
  /** A notice that waits at the service is replaced by a later one with the same topic: at most 32 of A-Z, a-z, 0-9, - and _. */
  readonly topic: string
}

export type Pushed =
  | { readonly outcome: 'sent' }
  /** The browser no longer receives: the subscription has ended. */
  | { readonly outcome: 'gone' }
  | {
      readonly outcome: 'failed'
      readonly error: string
      readonly permanent: boolean
      /** How long the service asked to wait. */
      readonly wait_ms: number | null
    }

/** Never rejects. */
export async function sendNotice(
  { egress, clock }: { readonly egress: Egress; readonly clock: Clock },
  keys: VapidKeys,
  { endpoint, p256dh, auth }: PushTarget,
  { payload, topic }: PushNotice,
): Promise<Pushed> {
  try {
    const { buildPushPayload } = await import('@block65/webcrypto-web-push')
    const options = { topic, ttl: egress_limits.push_kept_seconds, urgency: 'normal' as const }
    // The library signs for https only. The guard lets other URLs pass only where the operator allows the host.
    const signed = { endpoint: endpoint.replace(/^http:/, 'https:'), expirationTime: null, keys: { p256dh, auth } }
    const { headers, body } = await buildPushPayload({ data: payload, options }, signed, keys)
    const { 'content-length': _, ...sent } = headers
    const answer = await egress.send({
      url: new URL(endpoint),
      method: 'POST',
      headers: { ...sent, 'user-agent': 'Atrium' },
      body,
      total_ms: egress_limits.push_request_ms,
      connect_ms: egress_limits.push_connect_ms,
      response_bytes_max: 0,
    })
    if (!answer.ok)
      return { outcome: 'failed', error: `the push service: ${answer.failure}`, permanent: false, wait_ms: null }
    return outcomeOf(answer.status, answer.headers['retry-after'], clock.now())
  } catch (error) {
    // What cannot be encrypted or signed now cannot be later.
    const text = error instanceof Error ? error.message : String(error)
    return { outcome: 'failed', error: text, permanent: true, wait_ms: null }
  }
}

function outcomeOf(status: number, retryAfter: string | string[] | undefined, now: number): Pushed {
  if (status >= 200 && status < 300) return { outcome: 'sent' }
  if (status === 404 || status === 410) return { outcome: 'gone' }
  const error = `the push service answered ${status}`
  const isPassing = status === 408 || status === 425 || status === 429 || status >= 500
  return { outcome: 'failed', error, permanent: !isPassing, wait_ms: isPassing ? waitOf(retryAfter, now) : null }
}

/** `Retry-After` as seconds or a date (RFC 9110). */
function waitOf(value: string | string[] | undefined, now: number): number | null {
  if (typeof value !== 'string') return null
  if (/^\d{1,9}$/.test(value)) return Number(value) * second_ms
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
