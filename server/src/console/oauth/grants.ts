/** Grants: what an application has got from a person. Each has one access token and one refresh token at a time. */
import type { Mode, Resource } from '../../api/declare/caller.ts'
import { findById } from '../../api/declare/noun.ts'
import type { Scope } from '../../api/declare/scopes.ts'
import { limits } from '../../api/limits.ts'
import { updateQuery } from '../../db/query.ts'
import type { OauthClientRow, OauthCodeRow, OauthGrantRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/seal.ts'
import { issueCredential, newSecret } from '../../resources/api_keys/issue.ts'
import { eraseKey } from '../../resources/api_keys/queries.ts'
import { console_limits } from '../limits.ts'
import { deleteGrant, extendClient, updateGrant } from './queries.ts'
import { newRefreshToken } from './secrets.ts'

const findCredential = findById('credentials')
const rolled_columns = ['digest', 'hint', 'last4', 'scopes', 'expires_at', 'updated']

/** What a client gets. The secrets are in no other place. */
export interface Tokens {
  readonly grant: string
  readonly credential: string
  readonly access: string
  readonly refresh: string
  readonly scopes: readonly Scope[]
}

/** Exchanges a code for a grant with its first tokens. */
export function insertGrant(
  tx: Tx,
  sealer: Sealer,
  { code, client, resource }: { code: OauthCodeRow; client: OauthClientRow; resource: Resource | null },
  now: number,
): Tokens {
  const { organization, realm, user, digest: code_digest } = code
  const mode = code.mode as Mode
  const id = newId('ogr', now)
  const scopes = JSON.parse(code.scopes) as Scope[]
  const owner = { type: 'application', id: client.id } as const
  const { row, secret } = issueCredential(
    tx,
    sealer,
    {
      ...{ kind: 'access_token', organization, realm, mode, name: client.name, scopes, owner, grant: id },
      expiresAt: now + limits.access_token_ms,
    },
    now,
  )
  const refresh = newRefreshToken(sealer, id)
  tx.insert('oauth_grants', {
    ...{ id, organization, realm, mode, client: client.id, client_name: client.name, user, scopes: code.scopes },
    ...{ resource, credential: row.id, code_digest, refresh_digest: sealer.digest(refresh) },
    ...{ created: now, last_used_at: now, expires_at: now + console_limits.oauth_refresh_ms },
  })
  keepClient(tx, client.id, now)
  return { grant: id, credential: row.id, access: secret, refresh, scopes }
}

/**
 * Replaces both tokens of a grant. The access token keeps its id, so that credits and idempotency keys outlive it. Null if the
 * token's row was deleted.
 */
export async function renewGrant(
  tx: Tx,
  sealer: Sealer,
  grant: OauthGrantRow,
  scopes: readonly Scope[],
  now: number,
): Promise<Tokens | null> {
  const { id, realm, credential, client } = grant
  const row = await tx.first(findCredential, { realm, id: credential })
  if (row === undefined || row.deleted_at !== null) return null
  const { secret, ...shown } = newSecret(sealer, 'access_token', grant.mode as Mode)
  const expires_at = now + limits.access_token_ms
  const changed = { ...shown, scopes: JSON.stringify(scopes), expires_at, updated: now }
  tx.write(updateQuery('credentials', rolled_columns), { ...changed, realm, id: credential })
  const refresh = newRefreshToken(sealer, id)
  const refresh_digest = sealer.digest(refresh)
  tx.write(updateGrant, { id, refresh_digest, now, expires_at: now + console_limits.oauth_refresh_ms })
  keepClient(tx, client, now)
  return { grant: id, credential, access: secret, refresh, scopes }
}

/** Ends a grant with its tokens. Call `services.credentials.forget()` after the commit. */
export async function endGrant(tx: Tx, { id, realm, credential }: OauthGrantRow, now: number): Promise<void> {
  const row = await tx.first(findCredential, { realm, id: credential })
  if (row !== undefined && row.deleted_at === null) eraseKey(tx, row, now)
  tx.write(deleteGrant, { id })
}

function keepClient(tx: Tx, id: string, now: number): void {
  tx.write(extendClient, { id, expires_at: now + console_limits.oauth_idle_ms })
}
