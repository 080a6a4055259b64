/**
 * The rights of a run: the scopes of its version that the credential still has which activated it, or which renewed its rights since
 * (contract/16#authority). A deleted or expired credential, that of a guest, or an organization without a plan, has none. A flow activated
 * in the console depends on its author's membership instead of the session.
 */
import type { Caller, Mode, Plan } from '../../../api/declare/caller.ts'
import type { Scope } from '../../../api/declare/scopes.ts'
import { newest_version } from '../../../api/declare/version.ts'
import { guestAccessOf } from '../../../api/request/guest-access.ts'
import { grantRightsOf } from '../../../api/request/oauth-grants.ts'
import { scopesOfSession, sessionOfCredential } from '../../../api/request/session-credentials.ts'
import { read_scopes, write_scopes } from '../../../automations/required-scopes.ts'
import type { StepType } from '../../../automations/schema.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { Reader } from '../../../db/store.ts'

const findCredential = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('credentials')
    .innerJoin('organizations', 'organizations.organization', 'credentials.organization')
    .select(['credentials.scopes', 'credentials.expires_at', 'organizations.plan'])
    .select(['credentials.organization', 'credentials.owner_type', 'credentials.owner_id', 'credentials.oauth_grant'])
    .where('credentials.realm', '=', p('realm'))
    .where('credentials.id', '=', p('id'))
    .where('credentials.deleted_at', 'is', null),
)

const findPerson = query((db, p: Placeholder<{ realm: number; user: string }>) =>
  db
    .selectFrom('members')
    .innerJoin('realms', 'realms.organization', 'members.organization')
    .innerJoin('organizations', 'organizations.organization', 'members.organization')
    .select(['organizations.plan', 'members.organization'])
    .where('realms.realm', '=', p('realm'))
    .where('members.user', '=', p('user'))
    .where('members.status', '=', 'active'),
)

/** An activated version, and the rights that it has had since they were renewed. */
const findVersion = query((db, p: Placeholder<{ realm: number; flow: string; version: number }>) =>
  db
    .selectFrom('automation_versions')
    .select(['realm', 'scopes', 'credential', 'activated_by_type', 'activated_by_id'])
    .select(['authority_credential', 'authority_type', 'authority_id'])
    .where('realm', '=', p('realm'))
    .where('flow', '=', p('flow'))
    .where('version', '=', p('version')),
)

export interface VersionKey {
  readonly realm: number
  readonly flow: string
  readonly version: number
}

/** Why a version has no rights at all; see `authority_ends` of the flow. */
type Ended = 'credential_deleted' | 'credential_expired' | 'grant_ended' | 'member_inactive' | 'guest' | 'no_plan'

/** Whose rights a version has. */
export interface Holder {
  readonly realm: number
  /** The scopes that the version requires. */
  readonly scopes: readonly Scope[]
  readonly credential: string
  readonly type: string
  readonly id: string
}

/** Whose rights a version has now. Throws RangeError if it does not exist. */
export async function holderOf(reader: Reader, version: VersionKey): Promise<Holder> {
  const { realm, flow, version: number } = version
  const row = await reader.first(findVersion, { realm, flow, version: number })
  if (row === undefined) throw new RangeError(`The flow ${flow} has no version ${number}.`)
  const scopes = JSON.parse(row.scopes) as Scope[]
  const { authority_credential: renewed, authority_type: type, authority_id: id } = row
  if (renewed !== null && type !== null && id !== null) return { realm, scopes, credential: renewed, type, id }
  return { realm, scopes, credential: row.credential, type: row.activated_by_type, id: row.activated_by_id }
}

/**
 * The scopes of a version's runs at `now` (milliseconds); null if the credential or person whose rights it has is no
 * longer valid.
 */
export async function authorityOf(
  reader: Reader,
  version: VersionKey,
  now: number,
): Promise<ReadonlySet<Scope> | null> {
  const held = await heldBy(reader, await holderOf(reader, version), now)
  return typeof held === 'string' ? null : held
}

/** Why the rights of a holder no longer suffice at `now` (milliseconds) for all scopes that its version requires; null if they do. */
export async function endOfAuthority(
  reader: Reader,
  holder: Holder,
  now: number,
): Promise<Ended | 'scopes_missing' | null> {
  const held = await heldBy(reader, holder, now)
  if (typeof held === 'string') return held
  return held.size < new Set(holder.scopes).size ? 'scopes_missing' : null
}

/** The scopes of the version that the holder still has, or why it has none. */
async function heldBy(reader: Reader, holder: Holder, now: number): Promise<ReadonlySet<Scope> | Ended> {
  if (sessionOfCredential(holder.credential) !== null) return await heldByPerson(reader, holder)
  const row = await reader.first(findCredential, { realm: holder.realm, id: holder.credential })
  if (row === undefined) return 'credential_deleted'
  if (row.plan === null) return 'no_plan'
  if (row.expires_at !== null && now >= row.expires_at) return 'credential_expired'
  if (row.owner_type === 'user' && (await isGuest(reader, holder.realm, row.organization, row.owner_id))) return 'guest'
  const own = JSON.parse(row.scopes) as Scope[]
  const granted = row.oauth_grant === null ? undefined : await grantRightsOf(reader, row.oauth_grant, own)
  if (granted === null) return 'grant_ended'
  return amongRequired(holder, granted?.scopes ?? new Set(own))
}

/** Flows see the whole organization, so the person whose rights one has loses them for it by becoming a guest. */
async function isGuest(reader: Reader, realm: number, organization: string, user: string): Promise<boolean> {
  return (await guestAccessOf(reader, { organization, realm, user })) !== null
}

async function heldByPerson(reader: Reader, holder: Holder): Promise<ReadonlySet<Scope> | Ended> {
  const row = await reader.first(findPerson, { realm: holder.realm, user: holder.id })
  if (row === undefined) return 'member_inactive'
  if (row.plan === null) return 'no_plan'
  if (await isGuest(reader, holder.realm, row.organization, holder.id)) return 'guest'
  return amongRequired(holder, scopesOfSession(false, 'member'))
}

function amongRequired({ scopes }: Holder, held: ReadonlySet<Scope>): ReadonlySet<Scope> {
  return new Set(scopes.filter((scope) => held.has(scope)))
}

/**
 * The scopes that a step of this type requires. `tasks:read` is included if the run has a task, which expressions read.
 */
export function scopesOfStep(type: StepType, hasTask: boolean): readonly Scope[] {
  const needed = [hasTask ? 'tasks:read' : read_scopes[type], write_scopes[type]] as const
  return needed.filter((scope) => scope !== undefined)
}

/** The caller that a flow's steps act as. It carries the version's credential, but its owner is the automation. */
export function callerOfFlow(
  flow: {
    readonly realm: number
    readonly id: string
    readonly organization: string
    readonly mode_of_data: string
  },
  organization: { readonly plan: string | null; readonly service_user: string },
  credential: string,
  scopes: ReadonlySet<Scope>,
): Caller {
  return {
    credential,
    kind: 'api_key',
    organization: flow.organization,
    realm: flow.realm,
    mode: flow.mode_of_data as Mode,
    plan: organization.plan as Plan | null,
    scopes,
    owner: { type: 'automation', id: flow.id },
    apiVersion: newest_version,
    serviceUser: organization.service_user,
    createdAt: 0,
    expiresAt: null,
    guest: null,
    storeScope: { organization: flow.organization, realms: [flow.realm] },
  }
}
