/** A person: the member joined with the account's role. */
import type { AccountMembershipRow, MemberRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import type { Person, Role } from '../shapes.ts'

export function showPerson(
  member: MemberRow,
  membership: AccountMembershipRow | undefined,
  last_seen: number | null,
  projects: readonly string[],
  second_factor: Person['second_factor'] = null,
): Person {
  return {
    user: member.user,
    member: member.id,
    email: member.email,
    first_name: member.first_name,
    last_name: member.last_name,
    title: member.role,
    role: (membership?.role as Role | undefined) ?? null,
    projects: membership?.role === 'guest' ? projects : null,
    status: member.status as Person['status'],
    has_account: membership !== undefined,
    second_factor,
    last_seen: last_seen === null ? null : seconds(last_seen),
  }
}
