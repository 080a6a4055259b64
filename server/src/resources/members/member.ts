/** The member: a person of the organization, common to both realms; its `user` is what assignees name (contract §2.4). */
import Type, { type Static } from 'typebox'
import type { Noun } from '../../api/noun.ts'
import { head, Id, Nullable, OneOf } from '../../api/shapes.ts'
import { query } from '../../db/query.ts'
import type { MemberRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'

export const member_statuses = ['active', 'inactive', 'pending'] as const

export const Email = Type.String({ maxLength: limits.email_chars_max, format: 'email' })

export const Member = Type.Object({
  ...head('member'),
  user: Id,
  email: Nullable(Email),
  first_name: Nullable(Type.String({ maxLength: limits.person_name_chars_max })),
  last_name: Nullable(Type.String({ maxLength: limits.person_name_chars_max })),
  profile_picture_url: Nullable(Type.String({ maxLength: limits.profile_picture_url_chars_max, format: 'uri' })),
  role: Nullable(Type.String({ maxLength: limits.role_chars_max })),
  status: OneOf(...member_statuses),
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

const byId = query((db, p) =>
  db.selectFrom('members').selectAll().where('organization', '=', p('organization')).where('id', '=', p('id')),
)

const byUser = query((db, p) =>
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
  find: (reader, caller, reference) => reader.first(byId, { organization: caller.organization, id: reference }),
}

/** A member named by its user id, as assignees and holders of time are. */
export const userNoun: Noun<MemberRow, Member> = {
  ...declared,
  find: (reader, caller, reference) => reader.first(byUser, { organization: caller.organization, user: reference }),
}
