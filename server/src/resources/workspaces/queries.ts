/** All SQL about workspaces that is theirs alone. */
import { type Placeholder, query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'
import { suggestKeys } from './workspace.ts'

const findKey = query((db, p: Placeholder<{ realm: number; key: string }>) =>
  db.selectFrom('workspaces').select('id').where('realm', '=', p('realm')).where('key', '=', p('key')),
)

/** The best key for a title that no workspace of the realm has. */
export async function freeKey(reader: Reader, realm: number, title: string): Promise<string> {
  for (const key of suggestKeys(title)) {
    if ((await reader.first(findKey, { realm, key })) === undefined) return key
  }
  throw new Error('no key is left')
}
