/** The events that endpoints receive: one webhook per type, with its object's schema. */
import type { EventType } from '../../api/declare/event.ts'
import { Event } from '../../api/stream/shape.ts'
import { capitalized, withArticle } from '../../lib/sentence.ts'
import { verbOf } from '../event-types.ts'
import { type JsonObject, present, spoken } from './json.ts'
import type { Schemas } from './schemas.ts'

export const verification_type = 'platform.webhook_endpoint.verify'
export const test_type = 'platform.webhook_endpoint.test'

const string = { type: 'string' }

/** The headers of a delivery, by the name of their component. */
export const deliveryHeaders: Readonly<Record<string, JsonObject>> = {
  ServiceSignature: header(
    'Service-Signature',
    'Signature of the raw bytes: `t=<unix>,v1=<hex HMAC-SHA256 of "{t}.{body}" with the secret>`, with two `v1` during a rotation. Verify it before parsing.',
    string,
    't=1785844800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  ),
  WebhookId: header('webhook-id', 'Standard Webhooks: id of the event, the same in every attempt.', string),
  WebhookTimestamp: header('webhook-timestamp', 'Standard Webhooks: time of the signature, in Unix seconds.', string),
  WebhookSignature: header(
    'webhook-signature',
    'Standard Webhooks: `v1,<base64 HMAC-SHA256 of "{id}.{t}.{body}" with the decoded secret>`.',
    string,
  ),
  ServiceEventType: header('Service-Event-Type', 'Type of the event.', string),
  ServiceDelivery: header('Service-Delivery', 'Id of the delivery.', string),
  ServiceAttempt: header('Service-Attempt', 'Number of the attempt, from 1.', { type: 'integer', minimum: 1 }),
  DeliveredVersion: header('Service-Version', 'API version of the event.', { type: 'string', format: 'date' }),
}

function header(name: string, description: string, schema: JsonObject, example?: string): JsonObject {
  return { name, in: 'header', required: true, description, schema, ...(example === undefined ? {} : { example }) }
}

/** An event of one type: the common shape, narrowed. */
function eventSchema(type: EventType, schemas: Schemas): JsonObject {
  const isChange = type.rank < 5
  const previous = isChange
    ? { type: ['object', 'null'], description: 'Earlier values of the changed fields.' }
    : { type: 'null' }
  const object = { anyOf: [schemas.of(type.noun.schema), schemas.add(hidden_object, hiddenObject)] }
  return narrowed(type.type, schemas.of(Event), { object, previous_attributes: previous })
}

/** What an event shows of an object that its reader may not read (contract/10#hidden-objects). */
export const hidden_object = 'HiddenObject'

const hiddenObject: JsonObject = {
  type: 'object',
  description: 'An object that the credential, or the endpoint, may not read.',
  additionalProperties: false,
  required: ['id', 'object'],
  properties: {
    id: { type: 'string', description: 'Id of the object.' },
    object: { type: 'string', description: 'Kind of object.' },
  },
}

function narrowed(type: string, envelope: JsonObject, data: JsonObject): JsonObject {
  return {
    allOf: [
      envelope,
      {
        type: 'object',
        required: ['type', 'data'],
        properties: {
          type: { type: 'string', const: type },
          data: { type: 'object', required: ['object', 'previous_attributes'], properties: data },
        },
      },
    ],
  }
}

/** An event that is delivered and in no log: the verification of a URL, or a test of an endpoint. */
function unloggedSchema(type: string, schemas: Schemas): JsonObject {
  const { properties, ...rest } = Event
  const object = {
    type: 'object',
    required: ['id', 'object', 'url'],
    properties: {
      id: { type: ['string', 'null'], description: 'Id of the endpoint; null before it is created.' },
      object: { type: 'string', const: 'webhook_endpoint' },
      url: string,
    },
  }
  const data = {
    type: 'object',
    required: ['object', 'previous_attributes'],
    properties: { object, previous_attributes: { type: 'null' } },
  }
  const nothing = { type: 'null' }
  const own = { type: { type: 'string', const: type }, sequence: nothing, commit: nothing, data }
  return { ...rest, properties: { ...schemas.properties(properties), ...own } }
}

/** The `webhooks` of the document. */
export function webhooksOf(
  types: readonly EventType[],
  schemas: Schemas,
  examples: Readonly<Record<string, object>>,
): JsonObject {
  const webhooks: Record<string, JsonObject> = {}
  for (const type of types) {
    const content = present({ schema: eventSchema(type, schemas), example: examples[type.type] })
    webhooks[type.type] = webhook(type.type, summary(type), content)
  }
  if (types.some(({ noun }) => noun.object === 'webhook_endpoint')) {
    webhooks[verification_type] = webhook(verification_type, 'A URL is verified', {
      schema: unloggedSchema(verification_type, schemas),
    })
    webhooks[test_type] = webhook(test_type, 'An endpoint is tested', { schema: unloggedSchema(test_type, schemas) })
  }
  return webhooks
}

/** `A task was created`; for `secret_rotated`: `The secret of a webhook endpoint was rotated`. */
export function summary(type: EventType): string {
  const object = withArticle(spoken(type.noun.object))
  const [verb, part] = verbOf(type).split(' ').reverse()
  const subject = part === undefined ? object : `the ${part} of ${object}`
  return `${capitalized(subject)} was ${verb}`
}

function webhook(type: string, text: string, content: JsonObject): JsonObject {
  const signed = type !== verification_type
  const names = signed ? Object.keys(deliveryHeaders) : ['ServiceEventType', 'DeliveredVersion']
  return {
    post: {
      operationId: `webhooks.${type}`,
      tags: ['Events'],
      summary: text,
      description:
        type === test_type
          ? 'Sent once, signed, when a client tests the endpoint. It is in no log.'
          : signed
            ? 'Delivered at least once to every subscribed endpoint; first attempts start in the order of `sequence`.'
            : 'Sent once before a URL is accepted and before an endpoint is enabled again. Unsigned, because the secret is issued afterwards.',
      security: [],
      parameters: names.map((name) => ({ $ref: `#/components/parameters/${name}` })),
      requestBody: { required: true, content: { 'application/json': content } },
      responses: {
        '204': { description: 'Any 2xx: accepted.' },
        '410': {
          description: signed ? 'The receiver no longer exists: the endpoint is disabled.' : 'The URL is refused.',
        },
      },
    },
  }
}
