/**
 * Users of an organization over SCIM (RFC 7644 §3). A created one is an active member, who signs in by OpenID or after an
 * invitation. Deactivation ends sessions and links at once, as in the console; the only owner stays. A deleted user is inactive, has
 * no account in the organization, and is missing here, while the member stays as the author of what they wrote. Creating a user
 * with the same address makes another member, because the address may be another person's by then.
 */

import type { EventType } from '../../api/declare/event.ts'
import { quoted } from '../../api/declare/quoted.ts'
import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import type { MemberRow } from '../../db/schema.ts'
import type { Reader, Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import { wakeRunsWaitingFor } from '../../resources/automation_approvals/shared/approvals.ts'
import { memberCreated, memberUpdated } from '../../resources/members/events.ts'
import { showMember } from '../../resources/members/member.ts'
import { updateMember } from '../../resources/members/queries.ts'
import { leaveTeams } from '../../resources/team_members/shared/people.ts'
import { endMembership } from '../accounts/end-membership.ts'
import { findMembership } from '../accounts/queries.ts'
import { requireRemainingOwner, revokeAccess } from '../people/access.ts'
import { evictSessions } from '../sessions/lifecycle.ts'
import { noUser, ScimError } from './errors.ts'
import type { Provider } from './provider.ts'
import {
  findPersonByEmail,
  findPersonByExternalId,
  findPersonByUser,
  isDeleted,
  type PersonRow,
  putScimPerson,
} from './queries.ts'
import { fieldsOf, type ScimFields } from './user.ts'

export interface ScimContext {
  readonly services: Services
  readonly provider: Provider
  readonly source: { readonly ip: string | null; readonly user_agent: string | null }
}

/** The user of this id that no provider has deleted. */
export async function requireUser(reader: Reader, { organization }: Provider, id: string): Promise<PersonRow> {
  // PostgreSQL has no text with a NUL, which no id has either.
  const row = id_form.test(id) ? await reader.first(findPersonByUser, { organization, value: id }) : undefined
  if (row === undefined || isDeleted(row)) throw noUser(id)
  return row
}

/** What every id of a user has. */
const id_form = /^[A-Za-z0-9_:-]{1,160}$/

/** Creates a user. */
export async function createUser(context: ScimContext, fields: ScimFields): Promise<PersonRow> {
  return await commit(context, 'members.create', async (change) => {
    const { tx, now, organization, emit } = change
    const former = await requireFree(tx, organization, null, fields)
    if (former !== null) releaseAddress(change, former)
    const member: MemberRow = {
      ...{ organization, id: newId('mbr', now), created: now, updated: now, user: newId('usr', now) },
      ...{ email: fields.userName, first_name: fields.givenName, last_name: fields.familyName },
      ...{ profile_picture_url: null, role: null, status: fields.active ? 'active' : 'inactive' },
    }
    tx.insert('members', member)
    emit(memberCreated, showMember(member))
    return keep(change, member, fields.externalId, null)
  })
}

/** Changes a user. What equals is not written, and leaves no audit entry. */
export async function changeUser(context: ScimContext, id: string, change: Partial<ScimFields>): Promise<PersonRow> {
  return await commit(context, 'members.update', async (writing) => {
    const before = await requireUser(writing.tx, context.provider, id)
    return await save(writing, before, { ...fieldsOf(before), ...change })
  })
}

/** Deactivates the user, who is missing from then on, and deletes the membership with every way to sign in to it. */
export async function deleteUser(context: ScimContext, id: string): Promise<void> {
  await commit(context, 'members.update', async (writing) => {
    const before = await requireUser(writing.tx, context.provider, id)
    const after = await save(writing, before, { ...fieldsOf(before), active: false })
    await leaveTeams(writing, writing.organization, id)
    writing.end(await endMembership(writing.tx, writing.organization, id, writing.now))
    // Another user may get the id that the provider had for this one.
    return keep(writing, after, null, writing.now)
  })
}

interface Writing extends Pick<ScimContext, 'provider'> {
  readonly tx: Tx
  readonly now: number
  readonly organization: string
  emit(event: EventType, after: object, before?: object): void
  note(member: string): void
  end(sessions: readonly string[]): void
}

async function commit(
  { services, provider, source }: ScimContext,
  action: string,
  work: (writing: Writing) => Promise<PersonRow>,
): Promise<PersonRow> {
  const { organization, realms } = provider
  const actor = { type: 'system', id: 'system' } as const
  const about = { organization, realms, action, everywhere: true, actor, source } as const
  const ended: string[] = []
  let isChanged = false
  const row = await commitSystemChange(services, about, async ({ tx, now, emit, note }) => {
    return await work({
      ...{ tx, now, organization, provider, emit },
      note(id) {
        isChanged = true
        note({ target: { object: 'member', id }, reason: `SCIM, by the token ${provider.token}` })
      },
      end(sessions) {
        ended.push(...sessions)
      },
    })
  })
  if (!isChanged) return row
  services.credentials.forget()
  services.wakeUps.call('automations')
  evictSessions(services, ended)
  return row
}

/** Every check comes before the first write. */
async function save(writing: Writing, before: PersonRow, fields: ScimFields): Promise<PersonRow> {
  const { tx, now, organization, emit, provider } = writing
  const { user } = before
  const former = await requireFree(tx, organization, user, fields)
  if (!fields.active && before.status !== 'inactive') await requireRemainingOwner(tx, organization, user, false)
  if (former !== null) releaseAddress(writing, former)
  const status = fields.active ? (before.status === 'inactive' ? 'active' : before.status) : 'inactive'
  const { external_id, provisioned_at: _, deleted_at, ...member } = before
  const after: MemberRow = {
    ...member,
    // A member without an address shows its id as the user name.
    email: fields.userName === user ? member.email : fields.userName,
    ...{ first_name: fields.givenName, last_name: fields.familyName, status },
  }
  const isOther = (['email', 'first_name', 'last_name', 'status'] as const).some((name) => after[name] !== member[name])
  if (isOther) {
    tx.write(updateMember, { ...after, updated: now })
    emit(memberUpdated, showMember({ ...after, updated: now }), showMember(member))
  }
  if (status === 'inactive' && member.status !== 'inactive') {
    const membership = await tx.first(findMembership, { organization, user })
    writing.end(await revokeAccess(tx, organization, user, membership, now))
    for (const { realm } of provider.realms) await wakeRunsWaitingFor(tx, realm, user, now)
  }
  if (!isOther && fields.externalId === external_id && deleted_at === null) return before
  return keep(writing, isOther ? { ...after, updated: now } : member, fields.externalId, null)
}

/** Stores what the provider says beyond the member's fields. */
function keep(
  { tx, now, organization, note }: Writing,
  { external_id: _e, provisioned_at: _p, deleted_at: _d, ...member }: MemberRow & Partial<PersonRow>,
  external_id: string | null,
  deleted_at: number | null,
): PersonRow {
  tx.write(putScimPerson, { organization, user: member.user, external_id, now, deleted_at })
  note(member.id)
  return { ...member, external_id, provisioned_at: now, deleted_at }
}

/**
 * Refuses an address or an `externalId` that another user than `user` has; null is a user who is being created. Returns the deleted
 * person who has the address and has to release it.
 */
async function requireFree(
  tx: Tx,
  organization: string,
  user: string | null,
  fields: ScimFields,
): Promise<PersonRow | null> {
  const { userName, externalId } = fields
  const byName = await tx.first(findPersonByEmail, { organization, value: userName.toLowerCase() })
  const other = byName === undefined || byName.user === user ? null : byName
  if (other !== null && !isDeleted(other))
    throw new ScimError(409, `There is another user ${quoted(userName)}.`, 'uniqueness')
  if (externalId === null) return other
  const byId = await tx.first(findPersonByExternalId, { organization, value: externalId })
  if (byId !== undefined && byId.user !== user)
    throw new ScimError(409, `Another user has the externalId ${quoted(externalId)}.`, 'uniqueness')
  return other
}

/** Takes the address from a deleted person. It stays readable as the name of one who has no other name. */
function releaseAddress({ tx, now, emit }: Writing, former: PersonRow): void {
  const { external_id: _e, provisioned_at: _p, deleted_at: _d, ...member } = former
  const isNamed = member.first_name !== null || member.last_name !== null
  const first_name = isNamed ? member.first_name : (member.email?.slice(0, limits.person_name_chars_max) ?? null)
  const after: MemberRow = { ...member, email: null, first_name, updated: now }
  tx.write(updateMember, { ...after })
  emit(memberUpdated, showMember(after), showMember(member))
}
