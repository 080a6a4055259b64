import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Flag, OneOf } from '../../api/declare/shapes.ts'
import { applyChange } from '../../api/write/change.ts'
import { requireKnownTypes } from './event-types.ts'
import { webhookEndpointUpdated } from './events.ts'
import { beginAfterThisWrite } from './shared/queries.ts'
import { mustAnswer, type Verified, verifyUrl } from './verify.ts'
import { EventTypes, showWebhookEndpoint, Url, WebhookEndpoint, webhookEndpointNoun } from './webhook_endpoint.ts'

/**
 * Changes an endpoint. A new `url` and enabling are verified first; if that fails, nothing changes. Events during a pause are
 * delivered only by a recovery; deliveries from before the pause continue.
 */
export const updateWebhookEndpoint = writeOperation({
  id: 'webhook_endpoints.update',
  method: 'PATCH',
  path: '/v1/webhook_endpoints/{id}',
  summary: 'Update a webhook endpoint',
  scope: 'api:manage',
  credits: 10,
  errorClass: 'webhook_write',
  target: webhookEndpointNoun,
  body: {
    url: Type.Optional(Url),
    event_types: Type.Optional(EventTypes),
    exclude_own_events: Type.Optional(Flag),
    status: Type.Optional(OneOf('enabled', 'paused')),
  },
  returns: WebhookEndpoint,
  emits: [webhookEndpointUpdated],
  example: { params: { id: '{webhook_endpoint}' }, body: { event_types: ['workflow.*'] } },
  async prepare(context) {
    const { body, target } = context
    requireKnownTypes(body.event_types)
    return mustAnswer(target, body) ? await verifyUrl(context, body.url ?? target.url, target.id) : null
  },
  async handle({ target, body, caller, tx, now, prepared, emit }) {
    const verified = prepared as Verified | null
    const url = body.url ?? target.url
    // Another request may have changed the endpoint during the verification.
    if (mustAnswer(target, body) && verified?.url !== url) {
      throw refuse('resource_conflict', {
        message: 'The endpoint was changed during the verification. Repeat the request.',
      })
    }
    const enabled = body.status === 'enabled' && target.status !== 'enabled'
    const fields = {
      url,
      event_types: body.event_types && JSON.stringify(body.event_types),
      exclude_own_events: body.exclude_own_events === undefined ? undefined : Number(body.exclude_own_events),
      status: body.status,
      ...(body.status === undefined || body.status === target.status ? {} : { status_reason: null, next_due_at: null }),
      ...(mustAnswer(target, body) ? { verified_at: verified?.at } : {}),
      ...(enabled ? { ...afresh, active_after: await beginAfterThisWrite(tx, caller, now), next_due_at: now } : {}),
    }
    const changed = applyChange(tx, 'webhook_endpoints', target, fields, now)
    if (changed !== null)
      emit(webhookEndpointUpdated, showWebhookEndpoint(changed, now), showWebhookEndpoint(target, now))
    return showWebhookEndpoint(changed ?? target, now)
  },
  afterCommit: ({ wakeUps }) => wakeUps.call('deliveries'),
})

/** Earlier failures do not count against an endpoint that has just answered. */
const afresh = {
  consecutive_failures: 0,
  failing_since: null,
  failing_event_first_at: null,
  failing_event_last_at: null,
} as const
