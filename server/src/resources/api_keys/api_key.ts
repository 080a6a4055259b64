/** The API key: a credential with scopes, shown without its secret (contract/14#api-key). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import { scopes } from '../../api/declare/scopes.ts'
import { described, head, Nullable, OneOf, Owner, Revision, Seconds, Title } from '../../api/declare/shapes.ts'
import { withLastUse } from '../../api/request/credential-uses.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { CredentialRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

const fields = {
  ...head('api_key'),
  name: described(Title, 'Name that tells the key apart from others.'),
  hint: described(Type.String(), 'Start of the secret: the prefix and four characters.'),
  last4: described(Type.String(), 'Last four characters of the secret.'),
  scopes: described(Type.Array(OneOf(...scopes)), 'What the key may do; each operation names the scope it needs.'),
  owner: described(Owner, 'For whom the key acts: the organization, a user or an application.'),
  mode: described(OneOf('live', 'test'), 'Data set that the key reads and writes: live or test.'),
  api_version: described(Type.String(), 'Version used when a request sends no `Service-Version`, a date.'),
  status: described(OneOf('active', 'expired'), '`expired` once `expires_at` has passed; an expired key is refused.'),
  expires_at: described(Nullable(Seconds), 'When the key expires, in Unix seconds; null if it never does.'),
  previous_secret_expires_at: described(
    Nullable(Seconds),
    'Until when the secret before the last roll is also valid, in Unix seconds; null if it is not.',
  ),
  last_used_at: described(
    Nullable(Seconds),
    'When the key was last used, in Unix seconds; null if never. Diagnostic: a crash may lose the newest value.',
  ),
  revision: Revision,
}

export const ApiKey = Type.Object(fields)
export type ApiKey = Static<typeof ApiKey>

/** The answer to its creation, which contains the secret. */
export const ApiKeyWithSecret = Type.Object({
  ...fields,
  secret: described(Type.String(), 'The key itself. It is shown once: store it now.'),
})
export type ApiKeyWithSecret = Static<typeof ApiKeyWithSecret>

/** The key at `now` (milliseconds), which decides whether it has expired. */
export function showApiKey(row: CredentialRow, now: number): ApiKey {
  return {
    id: row.id,
    object: 'api_key',
    created: seconds(row.created),
    updated: seconds(row.updated),
    name: row.name,
    hint: row.hint,
    last4: row.last4,
    scopes: JSON.parse(row.scopes) as ApiKey['scopes'],
    owner: { type: row.owner_type as ApiKey['owner']['type'], id: row.owner_id },
    mode: row.mode as ApiKey['mode'],
    api_version: row.api_version,
    status: row.expires_at !== null && now >= row.expires_at ? 'expired' : 'active',
    expires_at: row.expires_at === null ? null : seconds(row.expires_at),
    previous_secret_expires_at: previousSecretExpiry(row, now),
    last_used_at: row.last_used_at === null ? null : seconds(row.last_used_at),
    revision: row.revision,
  }
}

function previousSecretExpiry({ previous_digest, previous_expires_at }: CredentialRow, now: number): number | null {
  if (previous_digest === null || previous_expires_at === null || now >= previous_expires_at) return null
  return seconds(previous_expires_at)
}

const byId = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('credentials')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('kind', '=', 'api_key'),
)

/** Access tokens are in the same table but are not keys; their ids are not found. */
export const apiKeyNoun = noun({
  object: 'api_key',
  prefix: 'key',
  table: 'credentials',
  schema: ApiKey,
  readScope: 'api:manage',
  workspaced: false,
  forgets: true,
  find: (reader, caller, reference) => {
    const key = { realm: caller.realm, id: reference }
    return withLastUse(reader, key, reader.first(byId, key))
  },
  show: (row) => showApiKey(row, 0),
})
