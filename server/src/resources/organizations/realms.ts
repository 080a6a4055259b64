/** The realms of an organization, for code that acts without a credential. */
import type { Mode } from '../../api/declare/caller.ts'
import type { RealmMode } from '../../api/write/record.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { Store } from '../../db/store.ts'

const findRealms = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('realms').select(['realm', 'mode']).where('organization', '=', p('organization')).orderBy('realm'),
)

/** Both realms, the live one first; empty for an unknown organization. */
export async function realmsOf(store: Store, organization: string): Promise<RealmMode[]> {
  const rows = await store.reader('system').all(findRealms, { organization })
  return rows.map((row) => ({ realm: row.realm, mode: row.mode as Mode })).sort((a, b) => (a.mode < b.mode ? -1 : 1))
}
