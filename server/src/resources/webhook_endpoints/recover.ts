import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Id, Moment, Nullable, Seconds } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { millis, seconds } from '../../lib/clock.ts'
import { startRecovery } from './shared/recovery.ts'
import { webhookEndpointNoun } from './webhook_endpoint.ts'

/**
 * Starts a fresh schedule for every event from `since` on that the endpoint subscribes to and has not received: failed and
 * retrying deliveries, and events from while it was paused or did not exist. One call schedules a bounded number, oldest
 * first; while `has_more` is true, repeat it with `next_since`. An endpoint that is not enabled is a conflict.
 */
export const recoverWebhookEndpoint = writeOperation({
  id: 'webhook_endpoints.recover',
  method: 'POST',
  path: '/v1/webhook_endpoints/{id}/recover',
  summary: 'Recover the missed events of a webhook endpoint',
  scope: 'api:manage',
  credits: 10,
  extension: true,
  target: webhookEndpointNoun,
  body: { since: described(Moment, 'Unix seconds, at most 14 days ago: events from this second on.') },
  returns: Type.Object({
    object: described(Type.Literal('webhook_recovery'), 'Kind of object: always `webhook_recovery`.'),
    webhook_endpoint: described(Id, 'Endpoint that gets the events.'),
    since: described(Seconds, 'The `since` of the request.'),
    count: described(
      Type.Integer({ minimum: 0 }),
      'Number of deliveries that got a fresh schedule; 0 if none was missed.',
    ),
    has_more: described(Type.Boolean(), 'Whether later events remain to be looked at.'),
    next_since: described(Nullable(Seconds), 'The `since` that continues; null if `has_more` is false.'),
  }),
  emits: [],
  example: { params: { id: '{webhook_endpoint}' }, body: { since: 1_785_844_000 } },
  async handle({ target, body, tx, now, note }) {
    const oldest = seconds(now - limits.webhook_recovery_ms)
    if (body.since < oldest) {
      const message = `since cannot be ${body.since}. Use a time of the last 14 days, from ${oldest} on.`
      throw refuse('invalid_request_body', { param: 'since', message })
    }
    if (target.status !== 'enabled') {
      throw refuse('resource_conflict', { message: `The endpoint is ${target.status}. Enable it first.` })
    }
    const { count, reached } = await startRecovery(tx, target, millis(body.since), now)
    note({ target: { object: 'webhook_endpoint', id: target.id }, unannounced: true })
    const next_since = reached === null ? null : seconds(reached)
    const { since } = body
    return {
      object: 'webhook_recovery',
      webhook_endpoint: target.id,
      since,
      count,
      has_more: next_since !== null,
      next_since,
    }
  },
  afterCommit: ({ wakeUps }) => wakeUps.call('deliveries'),
})
