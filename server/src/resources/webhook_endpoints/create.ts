import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Flag } from '../../api/declare/shapes.ts'
import type { WebhookEndpointRow } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { requireKnownTypes } from './event-types.ts'
import { webhookEndpointCreated } from './events.ts'
import { newSigningSecret } from './secrets.ts'
import { beginAfterThisWrite, requireRoomForEndpoint } from './shared/queries.ts'
import { type Verified, verifyUrl } from './verify.ts'
import { EventTypes, showWebhookEndpoint, Url, WebhookEndpointWithSecret } from './webhook_endpoint.ts'

/** Creates an enabled endpoint after its URL has answered the verification. It receives events from then on. */
export const createWebhookEndpoint = writeOperation({
  id: 'webhook_endpoints.create',
  method: 'POST',
  path: '/v1/webhook_endpoints',
  summary: 'Create a webhook endpoint',
  description:
    'The URL first gets an event of type `platform.webhook_endpoint.verify`, unsigned, and must answer it with 2xx. ' +
    'The answer holds the signing secret; a lost answer is found again with its Idempotency-Key.',
  scope: 'api:manage',
  credits: 10,
  errorClass: 'webhook_write',
  body: { url: Url, event_types: EventTypes, exclude_own_events: Type.Optional(Flag) },
  returns: WebhookEndpointWithSecret,
  emits: [webhookEndpointCreated],
  sealed: true,
  example: { body: { url: 'https://hooks.example.com/atrium', event_types: ['workflow.task.*'] } },
  async prepare(context) {
    requireKnownTypes(context.body.event_types)
    await requireRoomForEndpoint(context.reader, context.caller.realm)
    return await verifyUrl(context, context.body.url, null)
  },
  async handle({ body, caller, tx, now, sealer, version, prepared, emit }) {
    await requireRoomForEndpoint(tx, caller.realm)
    const { organization, realm, mode, credential, scopes } = caller
    const id = newId('whe', now)
    const { secret, sealed } = newSigningSecret(sealer, realm, id)
    const row: WebhookEndpointRow = {
      ...{ realm, id, created: now, updated: now, revision: 1, deleted_at: null, organization, mode, credential },
      scopes: JSON.stringify([...scopes]),
      ...{ url: body.url, event_types: JSON.stringify(body.event_types) },
      exclude_own_events: body.exclude_own_events ? 1 : 0,
      ...{ status: 'enabled', status_reason: null, api_version: version, verified_at: (prepared as Verified).at },
      ...{ secret: sealed, previous_secret: null, previous_secret_expires_at: null },
      ...{ last_success_at: null, last_failure_at: null, consecutive_failures: 0 },
      ...{ failing_since: null, failing_event_first_at: null, failing_event_last_at: null },
      active_after: await beginAfterThisWrite(tx, caller, now),
      ...{ next_due_at: null, lease_owner: null, lease_until: null },
    }
    tx.insert('webhook_endpoints', row)
    const endpoint = showWebhookEndpoint(row, now)
    emit(webhookEndpointCreated, endpoint)
    return { ...endpoint, signing_secret: secret }
  },
})
