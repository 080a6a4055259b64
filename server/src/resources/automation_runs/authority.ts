/**
 * What a run may do: what was authorised when its flow was activated, as far as the credential that did so may still do it
 * now (decisions §16). A credential that is deleted or expired, and an organization without a plan, may do nothing. What
 * somebody activated in the console outlives the session: it rests on the person, as long as that is an active member.
 */
import type { Caller, Mode, Plan } from '../../api/caller.ts'
import type { Scope } from '../../api/scopes.ts'
import { scopesOfSession, sessionOfCredential } from '../../api/session-credentials.ts'
import { newest_version } from '../../api/version.ts'
import type { StepType } from '../../automations/schema.ts'
import { query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'

const findCredential = query((db, p) =>
  db
    .selectFrom('credentials')
    .innerJoin('organizations', 'organizations.organization', 'credentials.organization')
    .select(['credentials.scopes', 'credentials.expires_at', 'organizations.plan'])
    .where('credentials.realm', '=', p('realm'))
    .where('credentials.id', '=', p('id'))
    .where('credentials.deleted_at', 'is', null),
)

const findPerson = query((db, p) =>
  db
    .selectFrom('members')
    .innerJoin('realms', 'realms.organization', 'members.organization')
    .innerJoin('organizations', 'organizations.organization', 'members.organization')
    .select('organizations.plan')
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

/** The scopes that a version's runs have at `now` (milliseconds); `null` when who authorised them stands no more. */
export async function authorityOf(
  reader: Reader,
  version: Authorised,
  now: number,
): Promise<ReadonlySet<Scope> | null> {
  if (sessionOfCredential(version.credential) !== null) return await authorityOfPerson(reader, version)
  const row = await reader.first(findCredential, { realm: version.realm, id: version.credential })
  if (row === undefined || row.plan === null || (row.expires_at !== null && now >= row.expires_at)) return null
  const held = new Set(JSON.parse(row.scopes) as Scope[])
  return new Set((JSON.parse(version.scopes) as Scope[]).filter((scope) => held.has(scope)))
}

async function authorityOfPerson(reader: Reader, version: Authorised): Promise<ReadonlySet<Scope> | null> {
  const row = await reader.first(findPerson, { realm: version.realm, user: version.activated_by_id })
  if (row === undefined || row.plan === null) return null
  const held = scopesOfSession(false, 'member')
  return new Set((JSON.parse(version.scopes) as Scope[]).filter((scope) => held.has(scope)))
}

const writes: Readonly<Partial<Record<StepType, Scope>>> = {
  'task.update': 'tasks:write',
  'task.move': 'tasks:write',
  'task.complete': 'tasks:write',
  'task.assign': 'tasks:write',
  'task.label': 'tasks:write',
  'task.comment': 'comments:write',
  'task.create': 'tasks:write',
  'task.create_from_template': 'tasks:write',
  'task.add_dependency': 'tasks:write',
  'timer.start': 'time_entries:write',
  'timer.stop': 'time_entries:write',
}

/** The scopes that a step of this type needs: its expressions read the run's task, where there is one. */
export function scopesOfStep(type: StepType, hasTask: boolean): readonly Scope[] {
  const needed = writes[type]
  return [...(hasTask ? (['tasks:read'] as const) : []), ...(needed === undefined ? [] : [needed])]
}

/** Whom the steps of a flow act as. The version's credential is named, but an automation is no credential's owner. */
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
    storeScope: { organization: flow.organization, realms: [flow.realm] },
  }
}
