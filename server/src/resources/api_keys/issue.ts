/** Issues credentials: the secret is returned once and stored only as its digest (contract/07#stored-credentials). */
import type { Mode, Owner } from '../../api/declare/caller.ts'
import { makeCredential } from '../../api/declare/credential-format.ts'
import type { Scope } from '../../api/declare/scopes.ts'
import { newest_version } from '../../api/declare/version.ts'
import type { CredentialRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/seal.ts'

export interface Issue {
  readonly kind: 'api_key' | 'access_token'
  readonly organization: string
  readonly realm: number
  readonly mode: Mode
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly owner: Owner
  readonly apiVersion?: string
  /** Milliseconds. */
  readonly expiresAt: number | null
  /** The OAuth grant of an access token. */
  readonly grant?: string
}

/** Inserts the credential and returns its row with the secret, which is not stored. */
export function issueCredential(
  tx: Tx,
  sealer: Sealer,
  issue: Issue,
  now: number,
): { row: CredentialRow; secret: string } {
  const { secret, ...shown } = newSecret(sealer, issue.kind, issue.mode)
  const row: CredentialRow = {
    realm: issue.realm,
    id: newId(issue.kind === 'api_key' ? 'key' : 'at', now),
    created: now,
    updated: now,
    revision: 1,
    deleted_at: null,
    organization: issue.organization,
    kind: issue.kind,
    name: issue.name,
    ...shown,
    previous_digest: null,
    previous_expires_at: null,
    scopes: JSON.stringify(issue.scopes),
    owner_type: issue.owner.type,
    owner_id: issue.owner.id,
    mode: issue.mode,
    api_version: issue.apiVersion ?? newest_version,
    expires_at: issue.expiresAt,
    last_used_at: null,
    oauth_grant: issue.grant ?? null,
  }
  tx.insert('credentials', row)
  return { row, secret }
}

/** A new secret and the columns that store its digest. */
export function newSecret(sealer: Sealer, kind: Issue['kind'], mode: Mode) {
  const secret = makeCredential(kind, mode)
  const body = secret.lastIndexOf('_') + 1
  return { secret, hint: secret.slice(0, body + 4), last4: secret.slice(-4), digest: sealer.digest(secret) }
}
