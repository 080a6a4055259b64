/**
 * Before a URL is accepted it must answer an event of type `platform.webhook_endpoint.verify` with 2xx (contract/11#verification).
 * A refusal names a category only. An unknown host, an address that is not public and a closed port fail alike and after
 * the same time: the answer does not reveal hosts behind the server (contract/11#outbound-addresses).
 */

import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import type { WebhookEndpointRow } from '../../db/schema.ts'
import { webhookHeaders } from './outgoing.ts'
import { unloggedEvent } from './unlogged-event.ts'

export interface Verification {
  readonly caller: Caller
  readonly services: Services
  readonly version: string
  readonly requestId: string
  readonly now: number
}

/** A verified URL and the time of its answer in milliseconds. */
export interface Verified {
  readonly url: string
  readonly at: number
}

/** Whether a change needs verification: a new URL, or enabling (contract/11#verification). */
export function mustAnswer(
  { url, status }: WebhookEndpointRow,
  change: { readonly url?: string; readonly status?: string },
): boolean {
  return (change.url ?? url) !== url || (change.status === 'enabled' && status !== 'enabled')
}

/** Sends one verification. Refuses a forbidden or unreachable URL and one that does not answer with 2xx. */
export async function verifyUrl(verification: Verification, text: string, endpoint: string | null): Promise<Verified> {
  const { services, version } = verification
  const checked = await services.egress.check(text)
  if (!checked.ok) throw refuse('invalid_webhook_url', { param: 'url', message: checked.message })
  const event = unloggedEvent(verification, 'platform.webhook_endpoint.verify', { id: endpoint, url: text })
  const answer = await services.egress.send({
    url: checked.url,
    method: 'POST',
    headers: webhookHeaders(event, version),
    body: JSON.stringify(services.versions.downgradeEvent(version, event)),
    total_ms: limits.webhook_verification_ms,
    connect_ms: limits.webhook_connect_ms,
    response_bytes_max: 0,
  })
  if (!answer.ok) throw refuse('webhook_target_unavailable', { param: 'url' })
  if (answer.status < 200 || answer.status > 299) throw refuse('webhook_verification_failed', { param: 'url' })
  return { url: text, at: services.clock.now() }
}
