/**
 * The rights of a run: the scopes of its version that the activating credential still has (contract/16#authority). A
 * deleted or expired credential, that of a guest, or an organization without a plan, has none. A flow activated in the console
 * depends on its author's membership instead of the session.
 */
import type { Caller, Mode, Plan } from '../../api/declare/caller.ts'
import type { Scope } from '../../api/declare/scopes.ts'
import { newest_version } from '../../api/declare/version.ts'
import { guestAccessOf } from '../../api/request/guest-access.ts'
import { grantRightsOf } from '../../api/request/oauth-grants.ts'
import { scopesOfSession, sessionOfCredential } from '../../api/request/session-credentials.ts'
import { write_scopes } from '../../automations/required-scopes.ts'
import type { StepType } from '../../automations/schema.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'

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

interface Authorised {
  readonly realm: number
  readonly credential: string
  readonly scopes: string
  readonly activated_by_id: string
}

/**
 * The scopes of a version's runs at `now` (milliseconds); null if the activating credential or person is no longer
 * valid.
 */
export async function authorityOf(
  reader: Reader,
  version: Authorised,
  now: number,
): Promise<ReadonlySet<Scope> | null> {
  if (sessionOfCredential(version.credential) !== null) return await authorityOfPerson(reader, version)
  const row = await reader.first(findCredential, { realm: version.realm, id: version.credential })
  if (row === undefined || row.plan === null || (row.expires_at !== null && now >= row.expires_at)) return null
  if (row.owner_type === 'user' && (await isGuest(reader, version.realm, row.organization, row.owner_id))) return null
  const own = JSON.parse(row.scopes) as Scope[]
  const granted = row.oauth_grant === null ? undefined : await grantRightsOf(reader, row.oauth_grant, own)
  if (granted === null) return null
  const held = granted?.scopes ?? new Set(own)
  return new Set((JSON.parse(version.scopes) as Scope[]).filter((scope) => held.has(scope)))
}

/** Flows see the whole organization, so the person who activated one loses the authority for it by becoming a guest. */
async function isGuest(reader: Reader, realm: number, organization: string, user: string): Promise<boolean> {
  return (await guestAccessOf(reader, { organization, realm, user })) !== null
}

async function authorityOfPerson(reader: Reader, version: Authorised): Promise<ReadonlySet<Scope> | null> {
  const row = await reader.first(findPerson, { realm: version.realm, user: version.activated_by_id })
  if (row === undefined || row.plan === null) return null
  if (await isGuest(reader, version.realm, row.organization, version.activated_by_id)) return null
  const held = scopesOfSession(false, 'member')
  return new Set((JSON.parse(version.scopes) as Scope[]).filter((scope) => held.has(scope)))
}

/**
 * The scopes that a step of this type requires. `tasks:read` is included if the run has a task, which expressions read.
 */
export function scopesOfStep(type: StepType, hasTask: boolean): readonly Scope[] {
  const needed = write_scopes[type]
  return [...(hasTask ? (['tasks:read'] as const) : []), ...(needed === undefined ? [] : [needed])]
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
