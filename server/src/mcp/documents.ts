/** The documents that agents may read as resources: the ones that are checked in, as they are. */
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
    description: 'Every operation with its scope, its price in credits and the events that it emits.',
  },
  'atrium://docs/errors': {
    file: 'errors.md',
    title: 'Errors',
    description: 'Every error code: what has happened, what to do about it, whether to try again.',
  },
  'atrium://docs/events': {
    file: 'events.md',
    title: 'Events',
    description: 'Every type of event, and what emits it.',
  },
}

const mimeType = 'text/markdown'

export const resources: readonly Resource[] = Object.entries(documents).map(([uri, { file, title, description }]) => {
  return { uri, name: file, title, description, mimeType }
})

/** The text of a document; null when there is none of this address. */
export async function readDocument(uri: string): Promise<ReadResourceResult | null> {
  if (!Object.hasOwn(documents, uri)) return null
  const { file } = documents[uri] as Document
  return { contents: [{ uri, mimeType, text: await readFile(projectFile(`docs/${file}`), 'utf8') }] }
}
