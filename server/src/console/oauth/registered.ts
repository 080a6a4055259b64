/** Sign-in to applications that an organization has registered: their clients have the ids of the applications. */
import Type from 'typebox'
import type { Mode } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { OneOf } from '../../api/declare/shapes.ts'
import type { ApplicationRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import type { Sealer } from '../../lib/seal.ts'
import { console_limits } from '../limits.ts'
import type { ApplicationSignIn } from '../shapes.ts'
import { OauthError } from './errors.ts'
import { endGrant } from './grants.ts'
import { deleteClient, deleteCodesOfClient, listGrantsOfClient } from './queries.ts'
import { requireRedirectUri } from './redirect-uri.ts'
import { newClientSecret } from './secrets.ts'

export const RedirectUris = Type.Array(Type.String({ minLength: 1 }), {
  minItems: 1,
  maxItems: console_limits.oauth_redirect_uris_max,
  uniqueItems: true,
})

export const SignIn = Type.Object(
  { kind: OneOf('public', 'confidential'), redirect_uris: RedirectUris },
  { additionalProperties: false },
)

export type NewSignIn = Pick<ApplicationSignIn, 'kind' | 'redirect_uris'>

/** Refuses redirect URIs that may not be registered. `param` is the path of the list in the body. */
export function requireRedirectUris(uris: readonly string[], param: string): void {
  for (const [i, uri] of uris.entries()) {
    try {
      requireRedirectUri(uri, 'The redirect URI')
    } catch (error) {
      if (!(error instanceof OauthError)) throw error
      throw refuse('invalid_request_body', { param: `${param}[${i}]`, message: error.message })
    }
  }
}

export function requireSignIn({ redirect_uris }: NewSignIn, param: string): void {
  requireRedirectUris(redirect_uris, param)
}

/** Inserts the client of an application. Returns the secret of a confidential one, which is not stored. */
export function insertClient(
  tx: Tx,
  sealer: Sealer,
  application: ApplicationRow,
  mode: Mode,
  { kind, redirect_uris }: NewSignIn,
): string | null {
  const { id, organization, realm, name, scopes, created, updated } = application
  const made = kind === 'confidential' ? newClientSecret() : null
  tx.insert('oauth_clients', {
    ...{ id, organization, realm, mode, name, kind, scopes, redirect_uris: JSON.stringify(redirect_uris) },
    ...{ digest: made === null ? null : sealer.digest(made.secret), hint: made?.hint ?? null },
    ...{ created, updated, expires_at: null },
  })
  return made?.secret ?? null
}

/** Deletes the client of an application, if it has one, with the access that people have given it. */
export async function deleteClientOf(tx: Tx, id: string, now: number): Promise<void> {
  tx.write(deleteClient, { id })
  tx.write(deleteCodesOfClient, { client: id })
  // Tokens of grants beyond these do not work without the client.
  for (const grant of await tx.all(listGrantsOfClient, { client: id })) await endGrant(tx, grant, now)
}
