/**
 * Bearer authentication (contract/07#bearer-authentication). Unknown, malformed, expired and revoked credentials get the
 * same answer. A caller is cached for at most one second, so changes by other processes take effect soon; a revocation in
 * this process takes effect at once.
 */
import { type MaybePromise, type Placeholder, query } from '../../db/query.ts'
import { type Reader, type Store, StoreUnavailable } from '../../db/store.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { Caller, Mode, Owner, Plan, Resource } from '../declare/caller.ts'
import { readCredential, urlHoldsCredential } from '../declare/credential-format.ts'
import { type Refusal, refuse } from '../declare/errors.ts'
import type { Request } from '../declare/request.ts'
import type { Scope } from '../declare/scopes.ts'
import { limits } from '../limits.ts'
import { recordUses } from './credential-uses.ts'
import { guestAccessOf } from './guest-access.ts'
import { grantRightsOf } from './oauth-grants.ts'
import { findSessionCaller, isSessionValid } from './session-credentials.ts'

/** A credential by the digest of its secret, or of the secret before the last roll. */
const findBy = (column: 'digest' | 'previous_digest') =>
  query((db, p: Placeholder<{ digest: string }>) =>
    db
      .selectFrom('credentials')
      .innerJoin('organizations', 'organizations.organization', 'credentials.organization')
      .select(['credentials.id', 'credentials.realm', 'credentials.kind', 'credentials.organization'])
      .select(['credentials.mode', 'credentials.scopes', 'credentials.owner_type', 'credentials.owner_id'])
      .select(['credentials.api_version', 'credentials.created', 'credentials.expires_at'])
      .select(['credentials.previous_expires_at', 'organizations.plan', 'organizations.service_user'])
      .select('credentials.oauth_grant')
      .where(`credentials.${column}`, '=', p('digest'))
      .where('credentials.deleted_at', 'is', null),
  )
const findCredential = findBy('digest')
const findRolledCredential = findBy('previous_digest')

const findCredentialState = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('credentials')
    .innerJoin('organizations', 'organizations.organization', 'credentials.organization')
    .select(['credentials.expires_at', 'credentials.digest', 'credentials.previous_digest'])
    .select(['credentials.previous_expires_at', 'organizations.plan', 'credentials.oauth_grant'])
    .where('credentials.realm', '=', p('realm'))
    .where('credentials.id', '=', p('id'))
    .where('credentials.deleted_at', 'is', null),
)

interface CachedCaller {
  /** Null when no such credential exists. */
  readonly caller: Caller | null
  readonly loadedAt: number
}

export class Credentials {
  private readonly store: Store
  private readonly sealer: Sealer
  private readonly kept = new BoundedMap<string, CachedCaller>(limits.credentials_kept_max)
  private readonly used = new Map<string, { caller: Caller; at: number }>()
  private writing: Promise<number> = Promise.resolve(0)
  private forgotten = 0

  constructor(store: Store, sealer: Sealer) {
    this.store = store
    this.sealer = sealer
  }

  /** The cached caller; undefined when the credential was not looked up within the last second. */
  known(secret: string, now: number): Caller | null | undefined {
    const kept = this.kept.get(secret)
    if (kept === undefined || now < kept.loadedAt || now - kept.loadedAt >= limits.credential_cache_ms) return undefined
    return current(kept.caller, now)
  }

  /** The caller of a credential at `now`, or null. Rejects with StoreUnavailable when the store cannot be read. */
  async find(secret: string, now: number): Promise<Caller | null> {
    const known = this.known(secret, now)
    if (known !== undefined) return known
    const { forgotten } = this
    const digest = this.sealer.digest(secret)
    const reader = this.store.reader('system')
    const caller = await findCaller(reader, digest, isToken(secret))
    // Unknown credentials are not cached: guesses would evict real ones. Neither is a result older than a revocation.
    if (caller !== null && forgotten === this.forgotten) this.kept.set(secret, { caller, loadedAt: now })
    return current(caller, now)
  }

  /** Records the use of a credential in memory; `writeUses` stores it later. */
  touch(caller: Caller, now: number): void {
    // Sessions record their own use.
    if (caller.kind !== 'session') this.used.set(caller.credential, { caller, at: now })
  }

  /** Whether a credential is still valid, read from the store. */
  async isStillValid(caller: Caller, now: number): Promise<boolean> {
    const reader = this.store.reader(caller.storeScope)
    if (await hasOtherRole(reader, caller)) return false
    // Whether the account has an authenticator app is hidden from the scopes of organizations.
    if (caller.kind === 'session') return await isSessionValid(this.store.reader('system'), caller, now)
    const row = await reader.first(findCredentialState, { realm: caller.realm, id: caller.credential })
    if (row === undefined || row.plan === null || (row.expires_at !== null && now >= row.expires_at)) return false
    if (row.oauth_grant !== null && (await grantRightsOf(reader, row.oauth_grant, [])) === null) return false
    return (
      row.digest === caller.digest || (row.previous_digest === caller.digest && now < (row.previous_expires_at ?? 0))
    )
  }

  /** Clears the cache: the next use of any credential reads the store. */
  forget(): void {
    this.forgotten++
    this.kept.clear()
  }

  /** Writes the uses recorded since the last call, after what earlier calls are still writing. Resolves with their number. */
  writeUses(): Promise<number> {
    const before = this.writing
    this.writing = before.catch(() => 0).then(() => this.writeUsesNow())
    return this.writing
  }

  private async writeUsesNow(): Promise<number> {
    const uses = [...this.used.values()]
    this.used.clear()
    if (uses.length === 0) return 0
    const recorded = uses.map(({ caller, at }) => ({ realm: caller.realm, id: caller.credential, now: at }))
    await this.store.write('system', (tx) => recordUses(tx, recorded))
    return uses.length
  }
}

/** Whether the person has become a guest, or stopped being one, since the credential was looked up. */
async function hasOtherRole(reader: Reader, { organization, realm, owner, guest }: Caller): Promise<boolean> {
  if (owner.type !== 'user') return false
  return ((await guestAccessOf(reader, { organization, realm, user: owner.id })) === null) !== (guest === null)
}

function current(caller: Caller | null, now: number): Caller | null {
  return caller !== null && caller.expiresAt !== null && now >= caller.expiresAt ? null : caller
}

async function findCaller(reader: Reader, digest: string, isToken: boolean): Promise<Caller | null> {
  const row = await reader.first(findCredential, { digest })
  if (row !== undefined) return await toCaller(reader, row, digest)
  if (isToken) return await findSessionCaller(reader, digest)
  const rolled = await reader.first(findRolledCredential, { digest })
  if (rolled === undefined) return null
  const { expires_at, previous_expires_at } = rolled
  const until = Math.min(expires_at ?? Number.POSITIVE_INFINITY, previous_expires_at ?? 0)
  return await toCaller(reader, { ...rolled, expires_at: until }, digest)
}

async function toCaller(
  reader: Reader,
  row: NonNullable<(typeof findCredential)['row']>,
  digest: string,
): Promise<Caller | null> {
  const { organization, realm } = row
  const scopes = JSON.parse(row.scopes) as Scope[]
  const granted = row.oauth_grant === null ? undefined : await grantRightsOf(reader, row.oauth_grant, scopes)
  if (granted === null) return null
  // A person's key sees no more than the person.
  const guest =
    row.owner_type === 'user' ? await guestAccessOf(reader, { organization, realm, user: row.owner_id }) : null
  return {
    digest,
    credential: row.id,
    kind: row.kind as Caller['kind'],
    organization: row.organization,
    realm: row.realm,
    mode: row.mode as Mode,
    plan: row.plan as Plan | null,
    scopes: granted?.scopes ?? new Set(scopes),
    ...(granted?.resource ? { resource: granted.resource } : {}),
    owner: { type: row.owner_type as Owner['type'], id: row.owner_id },
    apiVersion: row.api_version,
    serviceUser: row.service_user,
    createdAt: row.created,
    expiresAt: row.expires_at,
    guest,
    storeScope: { organization: row.organization, realms: [row.realm] },
  }
}

/** Refuses a credential anywhere in the URL, valid or not: proxies may have logged it (contract/07#credentials-in-urls). */
export function refuseCredentialInUrl(request: Request): void {
  if (urlHoldsCredential(request.rawQuery === '' ? request.path : `${request.path}?${request.rawQuery}`)) {
    throw unauthorized(
      'invalid_api_key',
      'A credential in a URL is never accepted. Revoke it and send a new one in the Authorization header.',
    )
  }
}

/**
 * The caller of a request to `resource`. Refuses with 401, also a token that is limited to another resource (RFC 8707), or with
 * 503 when the store cannot be read.
 */
export function authenticate(
  request: Request,
  credentials: Credentials,
  resource: Resource = 'api',
): MaybePromise<Caller> {
  const header = request.headers.authorization as string | undefined
  if (header === undefined || header === '') throw unauthorized('missing_api_key')
  const secret = bearer(header)
  if (secret === null) throw unauthorized('invalid_api_key', 'The Authorization header must be "Bearer <API_KEY>".')
  const known = credentials.known(secret, request.receivedAt)
  if (!known || !isAcceptedAt(known, resource)) return lookUp(request, credentials, secret, resource)
  credentials.touch(known, request.receivedAt)
  return known
}

async function lookUp(request: Request, credentials: Credentials, secret: string, resource: Resource): Promise<Caller> {
  const code = isToken(secret) ? 'invalid_access_token' : 'invalid_api_key'
  if (readCredential(secret) === null) throw unauthorized(code)
  let caller: Caller | null
  try {
    caller = await credentials.find(secret, request.receivedAt)
  } catch (error) {
    if (error instanceof StoreUnavailable) throw refuse('credential_validation_unavailable', { retryAfter: 1 })
    throw error
  }
  if (caller === null || !isAcceptedAt(caller, resource)) throw unauthorized(code)
  credentials.touch(caller, request.receivedAt)
  return caller
}

function isAcceptedAt(caller: Caller, resource: Resource): boolean {
  return caller.resource === undefined || caller.resource === resource
}

function isToken(secret: string): boolean {
  return secret.startsWith('atr_at_')
}

/** The token of `Bearer <token>`; the scheme's name is case-insensitive (RFC 9110 section 11.1). */
function bearer(header: string): string | null {
  if (header.length < 8 || header.slice(0, 7).toLowerCase() !== 'bearer ') return null
  const token = header.slice(7).trim()
  return token === '' || token.includes(' ') ? null : token
}

function unauthorized(code: 'missing_api_key' | 'invalid_api_key' | 'invalid_access_token', message?: string): Refusal {
  return refuse(code, { headers: { 'WWW-Authenticate': 'Bearer' }, ...(message === undefined ? {} : { message }) })
}
