/**
 * What each operation promises: the sentence above its declaration, so that the reader of the reference and the reader of
 * the code are told the same. Read from the source when documents are generated, never by the server.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const resources = join(import.meta.dirname, '../resources')
const declaration =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export const \w+ = (?:read|list|write)Operation(?:<[^(]*>)?\(\{\s*id: '([\w.]+)'/g

/** Operation id → promise. */
export function readPromises(): ReadonlyMap<string, string> {
  const promises = new Map<string, string>()
  for (const file of globSync('**/*.ts', { cwd: resources }).sort()) {
    for (const [, comment, id] of readFileSync(join(resources, file), 'utf8').matchAll(declaration)) {
      promises.set(id as string, plain(comment as string))
    }
  }
  return promises
}

function plain(comment: string): string {
  return comment.replaceAll(/\s*\n\s*\*\s?/g, ' ').trim()
}
