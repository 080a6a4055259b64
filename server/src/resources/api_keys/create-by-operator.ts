/**
 * Credentials created by the operator, who has no credential: keys of any owner, and access tokens of applications
 * (contract/07#operator-writes). The secret is returned once.
 */
import Type, { type Static, type TObject } from 'typebox'
import type { Owner } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { type Scope, scopes } from '../../api/declare/scopes.ts'
import { Id, OneOf, Title } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { checkShape } from '../../api/request/validate.ts'
import type { Services } from '../../api/services.ts'
import type { RealmMode } from '../../api/write/record.ts'
import { commitSystemChange, recordSystemChange } from '../../api/write/system-change.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { Tx } from '../../db/store.ts'
import { millis, seconds } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { requireRealms } from '../organizations/shared/queries.ts'
import { type ApiKeyWithSecret, showApiKey } from './api_key.ts'
import { apiKeyCreated } from './events.ts'
import { issueCredential } from './issue.ts'
import { requireRoomForKey } from './queries.ts'

const common = {
  organization: Id,
  scopes: Type.Optional(
    Type.Array(OneOf(...scopes), {
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
    }),
  ),
  mode: Type.Optional(OneOf('live', 'test')),
  /** Seconds. */
  expires_in: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.credential_life_seconds_max })),
}

const NewKey = Type.Object(
  {
    ...common,
    name: Type.Optional(Title),
    owner: Type.Optional(Type.String()),
    version: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

const NewToken = Type.Object(
  { ...common, application: Type.String({ minLength: 1, maxLength: limits.id_chars_max }) },
  { additionalProperties: false },
)

type Given<T extends { scopes?: unknown }> = Omit<T, 'scopes'> & { readonly scopes?: 'all' | readonly Scope[] }

/** `owner` is `organization`, `user:ID` or `application:ID`. Default of `scopes`: all. */
export type NewKey = Given<Static<typeof NewKey>>
export type NewToken = Given<Static<typeof NewToken>>

type Issuing = Pick<Services, 'store' | 'clock' | 'committed' | 'sealer' | 'versions'>

/** Creates an API key with an event and an audit entry by the system. The limit of 100 keys per organization applies. */
export async function createKey(services: Issuing, sent: NewKey): Promise<ApiKeyWithSecret> {
  const given = read<typeof NewKey>(NewKey, sent)
  const { organization } = given
  if (given.version !== undefined && !services.versions.supports(given.version)) {
    throw refuse('invalid_request_body', {
      param: 'version',
      message: `The version "${given.version}" is not supported.`,
    })
  }
  const realm = await realmOf(services, given)
  const owner = await readOwner(services, organization, given.owner ?? 'organization')
  const about = { organization, realms: [realm], action: 'api_keys.create' }
  return await commitSystemChange(services, about, async ({ tx, now, emit }) => {
    await requireRoomForKey(tx, organization, now)
    const issue = {
      ...issueOf(given, realm),
      kind: 'api_key',
      name: given.name ?? 'Key made by the operator',
      owner,
      ...(given.version === undefined ? {} : { apiVersion: given.version }),
      expiresAt: given.expires_in === undefined ? null : now + millis(given.expires_in),
    } as const
    const { row, secret } = issueCredential(tx, services.sealer, issue, now)
    const key = showApiKey(row, now)
    emit(apiKeyCreated, key)
    return { ...key, secret }
  })
}

/** Issues the first key of an organization, live and with every scope, in the transaction that creates the organization. */
export async function createFirstKey(
  tx: Tx,
  sealer: Sealer,
  { organization, realm }: { readonly organization: string; readonly realm: number },
  now: number,
): Promise<ApiKeyWithSecret> {
  const change = { organization, realms: [{ realm, mode: 'live' }], action: 'api_keys.create' } as const
  return await recordSystemChange(tx, change, now, async ({ emit }) => {
    const owner = { type: 'organization', id: organization } as const
    const issue = { kind: 'api_key', organization, realm, mode: 'live', name: 'First key', scopes, owner } as const
    const { row, secret } = issueCredential(tx, sealer, { ...issue, expiresAt: null }, now)
    const key = showApiKey(row, now)
    emit(apiKeyCreated, key)
    return { ...key, secret }
  })
}

export interface IssuedToken {
  readonly id: string
  readonly secret: string
  /** Unix seconds. */
  readonly expires_at: number
}

/** Issues an access token to an application, for an hour by default. It is audited and emits no event. */
export async function createToken(services: Issuing, sent: NewToken): Promise<IssuedToken> {
  const given = read<typeof NewToken>(NewToken, sent)
  const { organization, application } = given
  const realm = await realmOf(services, given)
  const about = { organization, realms: [realm], action: 'access_tokens.create' }
  return await commitSystemChange(services, about, async ({ tx, now, note }) => {
    const life_ms = given.expires_in === undefined ? limits.access_token_ms : millis(given.expires_in)
    const owner = { type: 'application', id: application } as const
    const issue = { ...issueOf(given, realm), kind: 'access_token', name: application, owner } as const
    const { row, secret } = issueCredential(tx, services.sealer, { ...issue, expiresAt: now + life_ms }, now)
    note({ target: { object: 'access_token', id: row.id } })
    return { id: row.id, secret, expires_at: seconds(now + life_ms) }
  })
}

function read<T extends TObject>(schema: T, sent: NewKey | NewToken): Static<T> {
  return checkShape(schema, sent.scopes === 'all' ? { ...sent, scopes: [...scopes] } : sent) as Static<T>
}

async function realmOf(services: Issuing, given: NewKey | NewToken): Promise<RealmMode> {
  const realms = await requireRealms(services.store, given.organization)
  return realms.find((realm) => realm.mode === (given.mode ?? 'live')) as RealmMode
}

function issueOf(given: Static<typeof NewKey> | Static<typeof NewToken>, { realm, mode }: RealmMode) {
  return { organization: given.organization, realm, mode, scopes: given.scopes ?? scopes }
}

const findUser = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db.selectFrom('members').select('status').where('organization', '=', p('organization')).where('user', '=', p('user')),
)

/** A key acts as its user, who must be an active member; an application is identified by its id alone. */
async function readOwner(services: Issuing, organization: string, text: string): Promise<Owner> {
  if (text === 'organization') return { type: 'organization', id: organization }
  const [, type, id = ''] = /^(user|application):([A-Za-z0-9][A-Za-z0-9:_-]{0,159})$/.exec(text) ?? []
  if (type === undefined) {
    const message = 'owner must be organization, user:ID or application:ID.'
    throw refuse('invalid_request_body', { param: 'owner', message })
  }
  if (type === 'application') return { type: 'application', id }
  const member = await services.store.reader('system').first(findUser, { organization, user: id })
  if (member?.status !== 'active') {
    throw refuse('invalid_request_body', { param: 'owner', message: `The user ${id} is not an active member.` })
  }
  return { type: 'user', id }
}
