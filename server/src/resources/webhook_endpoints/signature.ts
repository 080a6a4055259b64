/**
 * The headers that authenticate a delivery: our own and those of Standard Webhooks, both over the bytes that are sent.
 * Each secret given adds a signature to both, so that a receiver may know the old one or the new one (contract/11#signatures).
 */
import { createHmac } from 'node:crypto'

export interface Signed {
  /** The event's id, the same over all attempts. */
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
