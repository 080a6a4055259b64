/**
 * The headers that authenticate a delivery: Atrium's own and those of Standard Webhooks, both over the bytes as sent. Each
 * secret adds a signature to both, so a receiver can verify with the old or the new secret (contract/11#signatures).
 */
import { createHmac } from 'node:crypto'

export interface Signed {
  /** The event's id, the same in all attempts. */
  readonly id: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly body: string
}

export function signatureHeaders({ id, timestamp, body }: Signed, secrets: readonly string[]): Record<string, string> {
  const own = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`)
  const standard = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'Service-Signature': [`t=${timestamp}`, ...own].join(),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  }
}
