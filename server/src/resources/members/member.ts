/** The member: a person of the organization, shared by both realms. Assignees are its `user` id (contract/14#member). */
import Type, { type Static } from 'typebox'
import type { Tenant } from '../../api/declare/caller.ts'
import { findForGuests, type Noun } from '../../api/declare/noun.ts'
import { described, head, Id, Nullable, OneOf } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { MemberRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import { guestRuleOfMembers } from './shared/people-of-guest.ts'

const member_statuses = ['active', 'inactive', 'pending'] as const

export const Email = Type.String({ maxLength: limits.email_chars_max, format: 'email' })

export const Member = Type.Object({
  ...head('member'),
  user: described(Id, 'User id of the person; assignees and time entries name it.'),
  email: described(Nullable(Email), 'E-mail address; null if unknown.'),
  first_name: described(
    Nullable(Type.String({ maxLength: limits.person_name_chars_max })),
    'Given name; null if unknown.',
  ),
  last_name: described(
    Nullable(Type.String({ maxLength: limits.person_name_chars_max })),
    'Family name; null if unknown.',
  ),
  profile_picture_url: described(
    Nullable(Type.String({ maxLength: limits.profile_picture_url_chars_max, format: 'uri' })),
    'URL of a profile picture; null if unset.',
  ),
  role: described(
    Nullable(Type.String({ maxLength: limits.role_chars_max })),
    'Role or job title as the organization defines it; null if unset.',
  ),
  status: described(
    OneOf(...member_statuses),
    'Only `active` members can be assigned; `pending` ones have not accepted their invitation.',
  ),
})

export type Member = Static<typeof Member>

export function showMember(row: MemberRow): Member {
  return {
    id: row.id,
    object: 'member',
    created: seconds(row.created),
    updated: seconds(row.updated),
    user: row.user,
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    profile_picture_url: row.profile_picture_url,
    role: row.role,
    status: row.status as Member['status'],
  }
}

const byId = query((db, p: Placeholder<{ organization: string; id: string }>) =>
  db.selectFrom('members').selectAll().where('organization', '=', p('organization')).where('id', '=', p('id')),
)

const byUser = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db.selectFrom('members').selectAll().where('organization', '=', p('organization')).where('user', '=', p('user')),
)

const declared = {
  object: 'member',
  prefix: 'mbr',
  table: 'members',
  schema: Member,
  readScope: 'api:read',
  workspaced: false,
  forgets: false,
  show: showMember,
} as const

export const memberNoun: Noun<MemberRow, Member> = {
  ...declared,
  guests: guestRuleOfMembers,
  find: findForGuests(guestRuleOfMembers, (reader, caller, reference) =>
    reader.first(byId, { organization: caller.organization, id: reference }),
  ),
}

/** The user id of a member whose own id was sent in its place; null for other references. */
export async function userInstead(reader: Reader, tenant: Tenant, reference: string): Promise<string | null> {
  if (!reference.startsWith(`${declared.prefix}_`)) return null
  const member = await memberNoun.find(reader, tenant, reference)
  return member === undefined ? null : `This is the id of a member; the user's id is ${member.user}.`
}

/** A member referenced by user id, as in assignees and time entries. */
export const userNoun: Noun<MemberRow, Member> = {
  ...declared,
  guests: guestRuleOfMembers,
  find: findForGuests(guestRuleOfMembers, (reader, caller, reference) =>
    reader.first(byUser, { organization: caller.organization, user: reference }),
  ),
  instead: userInstead,
}
