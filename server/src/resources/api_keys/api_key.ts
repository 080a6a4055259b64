/** The API key: a credential with scopes, shown without its secret (decisions §7, §14). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { scopes } from '../../api/scopes.ts'
import { head, Id, Nullable, OneOf, Revision, Seconds, Title } from '../../api/shapes.ts'
import { query } from '../../db/query.ts'
import type { CredentialRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

const fields = {
  ...head('api_key'),
  name: Title,
  hint: Type.String(),
  last4: Type.String(),
  scopes: Type.Array(OneOf(...scopes)),
  owner: Type.Object({ type: OneOf('organization', 'user', 'application'), id: Id }),
  mode: OneOf('live', 'test'),
  api_version: Type.String(),
  status: OneOf('active', 'expired'),
  expires_at: Nullable(Seconds),
  last_used_at: Nullable(Seconds),
  revision: Revision,
}

export const ApiKey = Type.Object(fields)
export type ApiKey = Static<typeof ApiKey>

/** The answer to its creation: the only one that holds the secret. */
export const ApiKeyWithSecret = Type.Object({ ...fields, secret: Type.String() })
export type ApiKeyWithSecret = Static<typeof ApiKeyWithSecret>

/** The key as it stands at `now` (milliseconds), which decides whether it has expired. */
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
    last_used_at: row.last_used_at === null ? null : seconds(row.last_used_at),
    revision: row.revision,
  }
}

const byId = query((db, p) =>
  db
    .selectFrom('credentials')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('kind', '=', 'api_key'),
)

/** Access tokens are kept in the same table and are no keys: their ids stand for nothing here. */
export const apiKeyNoun = noun({
  object: 'api_key',
  prefix: 'key',
  table: 'credentials',
  schema: ApiKey,
  readScope: 'api:manage',
  workspaced: false,
  forgets: true,
  find: (reader, caller, reference) => reader.first(byId, { realm: caller.realm, id: reference }),
  show: (row) => showApiKey(row, 0),
})
