/**
 * Users of an organization over SCIM (RFC 7644 §3). A created one is an active member, who signs in by OpenID or after an
 * invitation. Deactivation ends sessions and links at once, as in the console; the only owner stays. A deleted user is inactive and
 * missing here, while the member stays as the author of what they wrote; creating the user again brings the member back.
 */
import type { EventType } from '../../api/declare/event.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import type { MemberRow } from '../../db/schema.ts'
import type { Reader, Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import { wakeRunsWaitingFor } from '../../resources/automation_approvals/shared/approvals.ts'
import { memberCreated, memberUpdated } from '../../resources/members/events.ts'
import { showMember } from '../../resources/members/member.ts'
import { updateMember } from '../../resources/members/queries.ts'
import { findMembership } from '../accounts/queries.ts'
import { requireRemainingOwner, revokeAccess } from '../people/access.ts'
import { evictSessions } from '../sessions/lifecycle.ts'
import { noUser, ScimError, shown } from './errors.ts'
import type { Provider } from './provider.ts'
import {
  findPersonByEmail,
  findPersonByExternalId,
  findPersonByUser,
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
  const row = await reader.first(findPersonByUser, { organization, value: id })
  if (row === undefined || row.deleted_at !== null) throw noUser(id)
  return row
}

/** Creates a user, or brings a deleted one back. */
export async function createUser(context: ScimContext, fields: ScimFields): Promise<PersonRow> {
  return await commit(context, 'members.create', async (change) => {
    const { tx, now, organization, emit } = change
    const known = await tx.first(findPersonByEmail, { organization, value: fields.userName.toLowerCase() })
    if (known !== undefined && known.deleted_at === null)
      throw new ScimError(409, `There is a user ${shown(fields.userName)} already.`, 'uniqueness')
    if (known !== undefined) return await save(change, known, fields)
    await requireFree(tx, organization, '', fields)
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

/** Deactivates the user, who is missing from then on. */
export async function deleteUser(context: ScimContext, id: string): Promise<void> {
  await commit(context, 'members.update', async (writing) => {
    const before = await requireUser(writing.tx, context.provider, id)
    const after = await save(writing, before, { ...fieldsOf(before), active: false })
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
  let ended: readonly string[] = []
  let isChanged = false
  const row = await commitSystemChange(services, about, async ({ tx, now, emit, note }) => {
    return await work({
      ...{ tx, now, organization, provider, emit },
      note(id) {
        isChanged = true
        note({ target: { object: 'member', id }, reason: `SCIM, by the token ${provider.token}` })
      },
      end(sessions) {
        ended = sessions
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
  await requireFree(tx, organization, user, fields)
  if (!fields.active && before.status !== 'inactive') await requireRemainingOwner(tx, organization, user, false)
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

async function requireFree(tx: Tx, organization: string, user: string, fields: ScimFields): Promise<void> {
  const { userName, externalId } = fields
  const byName = await tx.first(findPersonByEmail, { organization, value: userName.toLowerCase() })
  if (byName !== undefined && byName.user !== user)
    throw new ScimError(409, `There is another user ${shown(userName)}.`, 'uniqueness')
  if (externalId === null) return
  const byId = await tx.first(findPersonByExternalId, { organization, value: externalId })
  if (byId !== undefined && byId.user !== user)
    throw new ScimError(409, `Another user has the externalId ${shown(externalId)}.`, 'uniqueness')
}
