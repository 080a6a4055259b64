/**
 * The OpenAPI 3.1 document of a catalogue. Operations, parameters, bodies, answers, errors, scopes, credits, nouns and event
 * types come from their declarations; the examples are recorded calls.
 */
import type { EventType } from '../../api/declare/event.ts'
import type { Operation } from '../../api/declare/operation.ts'
import { newest_version } from '../../api/declare/version.ts'
import { answerHeaders, headersOf, requestHeaders, unmodifiedHeaders } from './headers.ts'
import type { JsonObject } from './json.ts'
import { openEnumerations } from './open-enumerations.ts'
import { operationObject, type Parts } from './operation-object.ts'
import { ErrorEnvelope, Refusals } from './refusals.ts'
import { Schemas } from './schemas.ts'
import { tagGroups, tagsOf } from './tags.ts'
import { deliveryHeaders, webhooksOf } from './webhooks.ts'

export interface Sources extends Pick<Parts, 'promises' | 'examples'> {
  readonly catalogue: readonly Operation[]
  readonly eventTypes: readonly EventType[]
}

const introduction = `Work management behind one API: workspaces, projects, tasks, time, money, whiteboards and automations of one organization.

- **Credential**: \`Authorization: Bearer <API_KEY>\` only. It belongs to one organization and one mode, live or test.
- **Times** are integers in Unix seconds; only \`duration_ms\` is in milliseconds.
- **Writes** need an \`Idempotency-Key\`: sent again, they repeat their first answer.
- **Reads** have an \`ETag\`; \`If-None-Match\` saves the body and the credits.
- **Lists** return at most 100 objects, newest first; pass on \`next_cursor\` for the next page.
- **Errors** have one shape; branch on \`error.code\`.
- **Credits**: each operation has a price, and every answer says what remains.
- **Growth**: ignore unknown fields, event types and enumeration values (a status, a type); new ones may be added.`

export function openApiDocument(sources: Sources): JsonObject {
  const { catalogue, eventTypes, promises, examples } = sources
  const schemas = new Schemas(nounSchemas(catalogue, eventTypes))
  const refusals = new Refusals()
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const operation of catalogue) {
    const path = paths[operation.path] ?? {}
    path[operation.method.toLowerCase()] = operationObject(operation, { schemas, refusals, promises, examples })
    paths[operation.path] = path
  }
  const webhooks: Record<string, unknown> = webhooksOf(eventTypes, schemas, examples.events)
  schemas.add('Error', ErrorEnvelope)
  openEnumerations(paths, webhooks, schemas)
  const responses = { NotModified: notModified, ...Object.fromEntries(refusals.named) }
  return {
    openapi: '3.1.0',
    info: information,
    servers: [server],
    security: [{ bearer: [] }],
    tags: tagsOf(catalogue),
    'x-tagGroups': tagGroups(catalogue),
    paths,
    webhooks,
    components: {
      securitySchemes: { bearer },
      parameters: used(paths, webhooks, { ...requestHeaders, ...deliveryHeaders }),
      headers: answerHeaders,
      responses,
      schemas: Object.fromEntries([...schemas.named].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

const information = {
  title: 'Atrium',
  version: newest_version,
  description: introduction,
  contact: { name: 'The operator of this installation' },
  license: { name: 'MIT', identifier: 'MIT' },
}

const server = {
  url: '{base_url}',
  description: 'This installation',
  variables: { base_url: { default: 'http://127.0.0.1:4010', description: 'Base URL of the installation.' } },
}

const bearer = {
  type: 'http',
  scheme: 'bearer',
  description:
    'An API key (`atr_live_…`, `atr_test_…`) or an access token (`atr_at_…`), with the scope that the operation names as `x-scope`.',
}

const notModified: JsonObject = {
  description: 'The sent ETag is current. Costs nothing.',
  headers: headersOf(unmodifiedHeaders),
}

/** Every noun's own schema: those of events and paths come before those of lists and answers. */
function* nounSchemas(
  catalogue: readonly Operation[],
  eventTypes: readonly EventType[],
): Iterable<readonly [string, JsonObject]> {
  const nouns = [
    ...eventTypes.map(({ noun }) => noun),
    ...catalogue.flatMap(({ target, parent }) => [target, parent]),
    ...catalogue.map(({ lists }) => lists),
  ]
  for (const noun of nouns) if (noun !== null) yield [noun.object, { ...noun.schema }]
}

/** The components that the document refers to. */
function used(paths: JsonObject, webhooks: JsonObject, components: JsonObject): JsonObject {
  const text = JSON.stringify([paths, webhooks])
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"#/components/parameters/${name}"`)),
  )
}
