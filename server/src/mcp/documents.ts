/**
 * The documents that agents can read as resources: checked-in files, unchanged, and the shape of one event type at a time.
 * All shapes together would fill a context.
 */
import { readFile } from 'node:fs/promises'
import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import { projectFile } from '../lib/project-file.ts'

interface Document {
  readonly file: string
  readonly title: string
  readonly description: string
}

const documents: Readonly<Record<string, Document>> = {
  'atrium://docs/operations': {
    file: 'operations.md',
    title: 'Operations',
    description: 'Every operation with its scope, its price in credits and its events.',
  },
  'atrium://docs/errors': {
    file: 'errors.md',
    title: 'Errors',
    description: 'Every error code: what happened, what to do, whether to retry.',
  },
  'atrium://docs/events': {
    file: 'events.md',
    title: 'Events',
    description: 'Every event type and the operations that emit it. The shapes are at atrium://docs/events/{type}.',
  },
}

const mimeType = 'text/markdown'

export const resources: readonly Resource[] = Object.entries(documents).map(([uri, { file, title, description }]) => {
  return { uri, name: file, title, description, mimeType }
})

const event_shape = 'atrium://docs/events/'

export const resourceTemplates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: `${event_shape}{type}`,
    name: 'event shape',
    title: 'Shape of an event type',
    description: 'JSON Schema and example of one event type, such as workflow.task.created.',
    mimeType: 'application/json',
  },
]

/** The document at a URI, or `null`. */
export async function readDocument(uri: string): Promise<ReadResourceResult | null> {
  if (uri.startsWith(event_shape)) return await readEventShape(uri, uri.slice(event_shape.length))
  if (!Object.hasOwn(documents, uri)) return null
  const { file } = documents[uri] as Document
  return { contents: [{ uri, mimeType, text: await readFile(projectFile(`docs/${file}`), 'utf8') }] }
}

interface Shapes {
  readonly webhooks: Readonly<Record<string, { readonly post: { readonly requestBody: { readonly content: object } } }>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

/** The delivery of an event type in the OpenAPI document, with the schemas that it refers to. */
async function readEventShape(uri: string, type: string): Promise<ReadResourceResult | null> {
  const { webhooks, components } = JSON.parse(await readFile(projectFile('docs/openapi.json'), 'utf8')) as Shapes
  const webhook = Object.hasOwn(webhooks, type) ? webhooks[type] : undefined
  if (webhook === undefined) return null
  const { content } = webhook.post.requestBody
  const names = new Set<string>()
  addReferences(content, components.schemas, names)
  const schemas = Object.fromEntries([...names].map((name) => [name, components.schemas[name]]))
  const text = JSON.stringify({ type, content, components: { schemas } })
  return { contents: [{ uri, mimeType: 'application/json', text }] }
}

/** Adds the names of the schemas that a value refers to, directly or not. */
function addReferences(value: object, schemas: Readonly<Record<string, object>>, names: Set<string>): void {
  for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([A-Za-z]+)"/g)) {
    const schema = schemas[name]
    if (schema === undefined || names.has(name)) continue
    names.add(name)
    addReferences(schema, schemas, names)
  }
}
