/**
 * What every SDK is generated from, in no language: calls, resources, objects, events and errors. It is read from the
 * OpenAPI document, which is derived from the catalogue; nothing here or in an emitter names an operation or a field.
 */
import type { ErrorAdvice, Retry } from '../../error-guide.ts'
import type { JsonObject } from '../../openapi/json.ts'
import { type Call, callsOf } from './calls.ts'
import { asDocument, type Document, knownWords, referred, type Schema } from './document.ts'
import { type EventKind, eventComponent, eventKinds } from './events.ts'
import { type Resource, resourcesOf } from './resources.ts'

interface ErrorKind {
  readonly code: string
  /** Cause and remedy. */
  readonly text: string
  readonly retry: Retry
}

export interface Model {
  readonly version: string
  readonly base_url: string
  readonly calls: readonly Call[]
  readonly resources: readonly Resource[]
  readonly schemas: Readonly<Record<string, Schema>>
  /** The component with the shape of every event; `null` in a document without events. */
  readonly event: string | null
  readonly events: readonly EventKind[]
  readonly errorTypes: readonly string[]
  readonly errors: readonly ErrorKind[]
  /** The components that are answers to dry runs. */
  readonly rehearsals: readonly string[]
}

export function modelOf(openApi: JsonObject, guide: Readonly<Record<string, ErrorAdvice>>): Model {
  const document = asDocument(openApi)
  const calls = callsOf(document)
  const { type, code } = document.components.schemas.Error?.properties?.error?.properties ?? {}
  return {
    version: document.info.version,
    base_url: document.servers[0]?.variables.base_url.default ?? '',
    calls,
    resources: resourcesOf(document, calls),
    schemas: document.components.schemas,
    event: eventComponent(document),
    events: eventKinds(document),
    errorTypes: knownWords(type),
    errors: knownWords(code).map((each) => {
      const { meaning = '', remedy = '', retry = 'never' } = guide[each] ?? {}
      return { code: each, text: `${meaning} ${remedy}`, retry }
    }),
    rehearsals: rehearsalsOf(document),
  }
}

/** A component by its name. */
export function schemaOf({ schemas }: Model, component: string): Schema {
  const schema = schemas[component]
  if (schema === undefined) throw new Error(`the document has no schema ${component}`)
  return schema
}

/** The plain form of an expanded object, such as `Task` for `ExpandedTask`; `null` if it has none. */
export function plainForm({ schemas }: Model, schema: Schema): string | null {
  const name = referred(schema)?.match(/^Expanded(\w+)$/)?.[1]
  return name !== undefined && schemas[name] !== undefined ? name : null
}

/** The first part of the second content of each write. */
function rehearsalsOf({ paths }: Document): string[] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const answers = operations.flatMap(({ responses }) => Object.entries(responses['200']?.content ?? {}))
  const names = answers.map(([type, { schema }]) =>
    type.includes('dry-run') ? referred(schema.allOf?.[0] ?? {}) : null,
  )
  return [...new Set(names)].filter((name) => name !== null)
}
