import Type, { type Static } from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { described } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { seconds } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { excerptOf, webhookHeaders } from './outgoing.ts'
import { signingSecrets } from './secrets.ts'
import { attempt_fields } from './shared/attempts.ts'
import { signatureHeaders } from './signature.ts'
import { unloggedEvent } from './unlogged-event.ts'
import { webhookEndpointNoun } from './webhook_endpoint.ts'

const WebhookTest = Type.Object({
  object: described(Type.Literal('webhook_test'), 'Kind of object: always `webhook_test`.'),
  ...attempt_fields,
  trigger: described(Type.Literal('test'), 'Why the attempt was made: always `test`.'),
})

/**
 * Sends an event of type `platform.webhook_endpoint.test` at once, signed as a delivery, and answers with the attempt. It is
 * sent to paused and disabled endpoints too, is not repeated, and counts neither as a success nor as a failure.
 */
export const testWebhookEndpoint = writeOperation({
  id: 'webhook_endpoints.test',
  method: 'POST',
  path: '/v1/webhook_endpoints/{id}/test',
  summary: 'Test a webhook endpoint',
  scope: 'api:manage',
  credits: 10,
  extension: true,
  target: webhookEndpointNoun,
  returns: WebhookTest,
  emits: [],
  example: { params: { id: '{webhook_endpoint}' } },
  async prepare(context): Promise<Static<typeof WebhookTest>> {
    const { target, services } = context
    const created = services.clock.now()
    const began = performance.now()
    const version = target.api_version
    const event = unloggedEvent({ ...context, version }, 'platform.webhook_endpoint.test', target)
    const body = JSON.stringify(services.versions.downgradeEvent(version, event))
    const signed = { id: event.id, timestamp: seconds(created), body }
    const answer = await services.egress.send({
      url: new URL(target.url),
      method: 'POST',
      headers: {
        ...webhookHeaders(event, version),
        'Service-Delivery': newId('dlv', created),
        'Service-Attempt': '1',
        ...signatureHeaders(signed, signingSecrets(services.sealer, target, created)),
      },
      body,
      total_ms: limits.webhook_attempt_ms,
      connect_ms: limits.webhook_connect_ms,
      response_bytes_max: limits.webhook_response_bytes_max,
    })
    const succeeded = answer.ok && answer.status >= 200 && answer.status <= 299
    return {
      object: 'webhook_test',
      number: 1,
      created: seconds(created),
      duration_ms: Math.round(performance.now() - began),
      http_status: answer.ok ? answer.status : null,
      error_category: succeeded ? null : answer.ok ? 'http_status' : answer.failure,
      response_excerpt: answer.ok ? excerptOf(answer.body) : null,
      trigger: 'test',
    }
  },
  handle({ target, prepared, note }) {
    note({ target: { object: 'webhook_endpoint', id: target.id }, unannounced: true })
    return prepared as Static<typeof WebhookTest>
  },
})
