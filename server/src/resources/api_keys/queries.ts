/** SQL of API keys besides their look-up: the number of active ones, and erasing a deleted one. */
import { refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import { deleteUse } from '../../api/request/credential-uses.ts'
import { type Placeholder, query, updateQuery } from '../../db/query.ts'
import type { CredentialRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'

const countActive = query((db, p: Placeholder<{ organization: string; now: number }>) =>
  db
    .selectFrom('credentials')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('realm', 'in', db.selectFrom('realms').select('realm').where('organization', '=', p('organization')))
    .where('kind', '=', 'api_key')
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', p('now'))])),
)

/** Refuses a new key if the organization has 100 active ones in both realms together (contract/07#key-limit). */
export async function requireRoomForKey(tx: Tx, organization: string, now: number): Promise<void> {
  const count = (await tx.first(countActive, { organization, now }))?.count ?? 0
  if (count < limits.api_keys_max) return
  throw refuse('resource_conflict', {
    message: `The organization has ${limits.api_keys_max} active API keys; delete one first.`,
  })
}

/** Erases a deleted key except the columns that cursors need. Without its digest it no longer authenticates. */
export function eraseKey(tx: Tx, row: CredentialRow, now: number): void {
  const emptied = {
    deleted_at: now,
    digest: null,
    previous_digest: null,
    previous_expires_at: null,
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
  tx.write(deleteUse, { realm: row.realm, id: row.id })
}
