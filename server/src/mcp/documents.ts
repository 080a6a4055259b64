/**
 * The documents that agents can read as resources: checked-in files, and the shape of one event type at a time.
 * All shapes together would fill a context.
 */
import { readdir, readFile } from 'node:fs/promises'
import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import { projectFile } from '../lib/project-file.ts'

interface Document {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  readonly read: () => Promise<string>
}

const examples = 'examples/flows'

const readProject = async (file: string): Promise<string> => await readFile(projectFile(file), 'utf8')

const page = (file: string) => ({ name: file, mimeType: 'text/markdown', read: () => readProject(`docs/${file}`) })

const documents: Readonly<Record<string, Document>> = {
  'atrium://docs/operations': {
    ...page('operations.md'),
    title: 'Operations',
    description: 'Every operation with its scope, its price in credits and its events.',
  },
  'atrium://docs/errors': {
    ...page('errors.md'),
    title: 'Errors',
    description: 'Every error code: what happened, what to do, whether to retry.',
  },
  'atrium://docs/events': {
    ...page('events.md'),
    title: 'Events',
    description: 'Every event type and the operations that emit it. The shapes are at atrium://docs/events/{type}.',
  },
  'atrium://automations/guide': {
    ...page('automations.md'),
    title: 'Automations',
    description: 'How a flow is written: triggers, steps, expressions, limits, previews.',
  },
  'atrium://automations/schema': {
    name: 'automation-graph.schema.json',
    mimeType: 'application/json',
    read: async () => JSON.stringify(JSON.parse(await readProject('docs/contract/automation-graph.schema.json'))),
    title: 'Schema of automation graphs',
    description: 'JSON Schema of the graph of a flow, with every type of node (about 90 kB).',
  },
  'atrium://automations/examples': {
    name: 'flows',
    mimeType: 'application/json',
    read: readExamples,
    title: 'Examples of automation graphs',
    description: 'Complete graphs to start from, by what they do.',
  },
}

/** The flows of the project's examples, by the name of their file. */
async function readExamples(): Promise<string> {
  const files = (await readdir(projectFile(examples))).filter((name) => name.endsWith('.json')).toSorted()
  const flows = files.map(async (name) => [
    name.replace('.json', ''),
    JSON.parse(await readProject(`${examples}/${name}`)),
  ])
  return JSON.stringify(Object.fromEntries(await Promise.all(flows)))
}

export const resources: readonly Resource[] = Object.entries(documents).map(([uri, { read: _read, ...shown }]) => {
  return { uri, ...shown }
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
  const { mimeType, read } = documents[uri] as Document
  return { contents: [{ uri, mimeType, text: await read() }] }
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
