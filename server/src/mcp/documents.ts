/** The documents that agents can read as resources: checked-in files, unchanged. */
import { readFile } from 'node:fs/promises'
import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server'
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
    description: 'Every event type and the operations that emit it.',
  },
}

const mimeType = 'text/markdown'

export const resources: readonly Resource[] = Object.entries(documents).map(([uri, { file, title, description }]) => {
  return { uri, name: file, title, description, mimeType }
})

/** The document at a URI, or `null`. */
export async function readDocument(uri: string): Promise<ReadResourceResult | null> {
  if (!Object.hasOwn(documents, uri)) return null
  const { file } = documents[uri] as Document
  return { contents: [{ uri, mimeType, text: await readFile(projectFile(`docs/${file}`), 'utf8') }] }
}
