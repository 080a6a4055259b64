/** The realms of an organization, for what both share. */
import { type Placeholder, query } from '../../db/query.ts'
import type { Store } from '../../db/store.ts'
import type { Mode } from '../declare/caller.ts'
import type { RealmMode } from './record.ts'

const findRealms = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('realms').select(['realm', 'mode']).where('organization', '=', p('organization')).orderBy('realm'),
)

/** Both realms, the live one first; empty for an unknown organization. */
export async function realmsOf(store: Store, organization: string): Promise<RealmMode[]> {
  const rows = await store.reader('system').all(findRealms, { organization })
  return rows.map((row) => ({ realm: row.realm, mode: row.mode as Mode })).sort((a, b) => (a.mode < b.mode ? -1 : 1))
}
