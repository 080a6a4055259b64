/** All SQL about API keys beyond their look-up: how many there are, and emptying a deleted one. */
import { refuse } from '../../api/errors.ts'
import { query, updateQuery } from '../../db/query.ts'
import type { CredentialRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'

const countActive = query((db, p) =>
  db
    .selectFrom('credentials')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('realm', 'in', db.selectFrom('realms').select('realm').where('organization', '=', p('organization')))
    .where('kind', '=', 'api_key')
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', p('now'))])),
)

/** Refuses one more key when the organization has 100 active ones in both realms together (decisions §7). */
export async function requireRoomForKey(tx: Tx, organization: string, now: number): Promise<void> {
  const count = (await tx.first(countActive, { organization, now }))?.count ?? 0
  if (count < limits.api_keys_max) return
  throw refuse('resource_conflict', {
    message: `The organization has ${limits.api_keys_max} active API keys; delete one first.`,
  })
}

/** Leaves of a deleted key what its id needs to stand in a cursor; without its digest it authenticates nobody. */
export function eraseKey(tx: Tx, row: CredentialRow, now: number): void {
  const emptied = {
    deleted_at: now,
    digest: null,
    name: '',
    hint: '',
    last4: '',
    scopes: '[]',
    owner_type: '',
    owner_id: '',
    expires_at: null,
    last_used_at: null,
  }
  tx.write(updateQuery('credentials', Object.keys(emptied)), { ...emptied, realm: row.realm, id: row.id })
}
