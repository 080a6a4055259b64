import type { AccountLinkRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import type { Invitation, Role } from '../shapes.ts'

/** An open invitation, without its link. */
export function showInvitation(row: AccountLinkRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    user: row.user,
    role: row.role as Role,
    created: seconds(row.created),
    created_by: row.created_by,
    expires_at: seconds(row.expires_at),
  }
}
