/** Writes members, for the operator and the console: the API only reads them (contract/07#operator-writes). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { checkShape } from '../../api/request/validate.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import type { MemberRow } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { wakeRunsWaitingFor } from '../automation_approvals/shared/approvals.ts'
import { requireRealms } from '../organizations/shared/queries.ts'
import { memberCreated, memberUpdated } from './events.ts'
import { Email, Member, showMember } from './member.ts'
import { findAnywhere, requireFreeEmail, updateMember } from './queries.ts'

const { first_name, last_name, role, status } = Member.properties
const details = {
  first_name: Type.Optional(first_name),
  last_name: Type.Optional(last_name),
  role: Type.Optional(role),
  status: Type.Optional(status),
}

const NewMember = Type.Object({ email: Email, ...details }, { additionalProperties: false })
const MemberChange = Type.Object({ email: Type.Optional(Email), ...details }, { additionalProperties: false })

export type NewMember = Static<typeof NewMember>
export type MemberChange = Static<typeof MemberChange>

type Writing = Pick<Services, 'store' | 'clock' | 'committed'>

/** Adds a person to the organization, in both realms; active by default. */
export async function addMember(services: Writing, organization: string, sent: NewMember): Promise<Member> {
  const fields = checkShape(NewMember, withoutBlanks(sent)) as NewMember
  const realms = await requireRealms(services.store, organization)
  const about = { organization, realms, action: 'members.create' }
  return await commitSystemChange(services, about, async ({ tx, now, emit }) => {
    await requireFreeEmail(tx, organization, fields.email, null)
    const row: MemberRow = {
      organization,
      id: newId('mbr', now),
      created: now,
      updated: now,
      user: newId('usr', now),
      email: fields.email,
      first_name: fields.first_name ?? null,
      last_name: fields.last_name ?? null,
      profile_picture_url: null,
      role: fields.role ?? null,
      status: fields.status ?? 'active',
    }
    tx.insert('members', row)
    const member = showMember(row)
    emit(memberCreated, member)
    return member
  })
}

/** Changes the given fields of a member. Without a difference there is no event and no audit entry. */
export async function setMember(services: Writing, id: string, sent: MemberChange): Promise<Member> {
  const change = checkShape(MemberChange, withoutBlanks(sent)) as MemberChange
  const found = await services.store.reader('system').first(findAnywhere, { id })
  if (found === undefined) throw refuse('resource_not_found', { param: 'id', message: `There is no member ${id}.` })
  const { organization } = found
  const realms = await requireRealms(services.store, organization)
  const about = { organization, realms, action: 'members.update' }
  return await commitSystemChange(services, about, async ({ tx, now, emit }) => {
    const before = (await tx.first(findAnywhere, { id })) as MemberRow
    const given = Object.entries(change).filter(([, value]) => value !== undefined)
    if (given.every(([name, value]) => before[name as keyof MemberRow] === value)) return showMember(before)
    if (change.email !== undefined) await requireFreeEmail(tx, organization, change.email, id)
    const after: MemberRow = { ...before, ...Object.fromEntries(given), updated: now }
    tx.write(updateMember, { ...after })
    if (after.status === 'inactive')
      for (const { realm } of realms) await wakeRunsWaitingFor(tx, realm, after.user, now)
    const member = showMember(after)
    emit(memberUpdated, member, showMember(before))
    return member
  })
}

const may_be_unset: ReadonlySet<string> = new Set(['first_name', 'last_name', 'role'])

/** Replaces empty texts by null, because unset fields are null (contract/14#common-fields). */
function withoutBlanks(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === '' && may_be_unset.has(name) ? null : value]),
  )
}
