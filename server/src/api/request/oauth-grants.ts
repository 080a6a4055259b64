/**
 * What an access token of an OAuth grant may do: the scopes of the grant that the person who gave it still has. Read for each
 * look-up of the token, so that a token ends with its grant, with the person's membership, and when the person becomes a guest:
 * it acts for the application, whose view of the organization has no limit to the projects of a guest.
 */
import { type Placeholder, query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'
import type { Resource } from '../declare/caller.ts'
import type { Scope } from '../declare/scopes.ts'
import { scopesOfSession } from './session-credentials.ts'

const findGrant = query((db, p: Placeholder<{ id: string }>) =>
  db
    .selectFrom('oauth_grants')
    // Tokens end with their application, however many it has.
    .innerJoin('oauth_clients', 'oauth_clients.id', 'oauth_grants.client')
    .innerJoin('account_memberships', (join) =>
      join
        .onRef('account_memberships.organization', '=', 'oauth_grants.organization')
        .onRef('account_memberships.user', '=', 'oauth_grants.user'),
    )
    .innerJoin('members', (join) =>
      join
        .onRef('members.organization', '=', 'oauth_grants.organization')
        .onRef('members.user', '=', 'oauth_grants.user'),
    )
    .select(['oauth_grants.resource', 'account_memberships.role'])
    .where('oauth_grants.id', '=', p('id'))
    .where('members.status', '=', 'active'),
)

export interface GrantRights {
  /** The only part of the server that accepts the token; null: all of them. */
  readonly resource: Resource | null
  readonly scopes: ReadonlySet<Scope>
}

/** What a person of a role can give to an application: nothing as a guest, `api:manage` as admin or owner only. */
export function grantableScopes(role: string): ReadonlySet<Scope> {
  return role === 'guest' ? new Set() : scopesOfSession(true, role)
}

/** The rights of a token with these scopes; null if the grant has ended, or if its person has no rights to give. */
export async function grantRightsOf(
  reader: Reader,
  grant: string,
  scopes: readonly Scope[],
): Promise<GrantRights | null> {
  const row = await reader.first(findGrant, { id: grant })
  if (row === undefined || row.role === 'guest') return null
  const held = grantableScopes(row.role)
  return { resource: row.resource as Resource | null, scopes: new Set(scopes.filter((scope) => held.has(scope))) }
}
