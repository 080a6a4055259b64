import { query } from '../db/query.ts'
import type { Store } from '../db/store.ts'

/** How to get a sign-in link, as long as the installation has no account; null if it has one. */
export async function firstSignInText(store: Store): Promise<string | null> {
  const reader = store.reader('system')
  if ((await reader.first(anyAccount)) !== undefined) return null
  const owner = await reader.first(firstOwner)
  if (owner === undefined) return null
  const command = `bin/atrium link create --organization ${owner.organization} --email ${owner.email} --role owner`
  return `\nNo person has signed in yet. Create a link to sign in as the owner of "${owner.name}":\n\n    ${command}\n\n`
}

const anyAccount = query((db) => db.selectFrom('accounts').select('id').limit(1))

const firstOwner = query((db) =>
  db
    .selectFrom('organizations')
    .innerJoin('members', 'members.organization', 'organizations.organization')
    .select(['organizations.organization', 'organizations.name', 'members.email'])
    .where('members.role', '=', 'owner')
    .where('members.status', '=', 'active')
    .where('members.email', 'is not', null)
    .orderBy('organizations.organization')
    .orderBy('members.id')
    .limit(1),
)
