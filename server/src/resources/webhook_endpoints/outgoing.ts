import { limits } from '../../api/limits.ts'

/** The headers of every request to an endpoint: verifications, tests and deliveries. */
export function webhookHeaders(event: { readonly type: string }, version: string): Record<string, string> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'Atrium-Webhooks/1',
    'Service-Version': version,
    'Service-Event-Type': event.type,
  }
}

/** The beginning of an answer as text that both engines can keep; null for an empty one. */
export function excerptOf(body: Buffer): string | null {
  const text = new TextDecoder().decode(body.subarray(0, limits.webhook_excerpt_bytes_max)).replaceAll('\0', '\ufffd')
  return text === '' ? null : text
}
