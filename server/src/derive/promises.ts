/**
 * The description of each operation: the comment above its declaration, so that code and reference say the same. Read from
 * the source when documents are generated, never by the server.
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

/** The comment as one paragraph, without citations of the contract, which are for readers of the code. */
function plain(comment: string): string {
  return comment
    .replaceAll(/\s*\n\s*\*\s?/g, ' ')
    .replaceAll(/ \((?:contract|decisions)[ /][^)]*\)/g, '')
    .trim()
}
