import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { limits } from '../../api/limits.ts'
import { applyChange } from '../../api/write/change.ts'
import type { WebhookEndpointRow } from '../../db/schema.ts'
import { webhookSecretRotated } from './events.ts'
import { newSigningSecret } from './secrets.ts'
import { overlaps, showWebhookEndpoint, WebhookEndpointWithSecret, webhookEndpointNoun } from './webhook_endpoint.ts'

/** Gives an endpoint a new secret, shown once. Both secrets sign for 24 hours; until then another rotation is refused. */
export const rotateWebhookSecret = writeOperation({
  id: 'webhook_endpoints.rotate_secret',
  method: 'POST',
  path: '/v1/webhook_endpoints/{id}/rotate_secret',
  summary: 'Rotate the signing secret',
  scope: 'api:manage',
  credits: 10,
  errorClass: 'webhook_write',
  target: webhookEndpointNoun,
  returns: WebhookEndpointWithSecret,
  emits: [webhookSecretRotated],
  sealed: true,
  example: { params: { id: '{webhook_endpoint}' } },
  handle({ target, tx, now, sealer, emit }) {
    if (overlaps(target, now)) {
      throw refuse('resource_conflict', { message: 'The secret was rotated within the last 24 hours.' })
    }
    const { secret, sealed } = newSigningSecret(sealer, target.realm, target.id)
    const fields = {
      secret: sealed,
      previous_secret: target.secret,
      previous_secret_expires_at: now + limits.secret_overlap_ms,
    }
    const changed = applyChange(tx, 'webhook_endpoints', target, fields, now) as WebhookEndpointRow
    const endpoint = showWebhookEndpoint(changed, now)
    emit(webhookSecretRotated, endpoint, showWebhookEndpoint(target, now))
    return { ...endpoint, signing_secret: secret }
  },
})
