/** What ends with a member's access, and the owner that an organization keeps. */
import { refuse } from '../../api/declare/errors.ts'
import type { AccountMembershipRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { listOwners } from '../accounts/queries.ts'
import { deleteUnusedLinks } from '../links/queries.ts'
import { endSession } from '../sessions/lifecycle.ts'
import { listSessionsOfMember } from '../sessions/queries.ts'

/** Refuses a change after which the organization would have no active owner. */
export async function requireRemainingOwner(
  tx: Tx,
  organization: string,
  user: string,
  staysOwner: boolean,
): Promise<void> {
  if (staysOwner) return
  const owners = await tx.all(listOwners, { organization })
  if (!owners.some((owner) => owner.user === user) || owners.length > 1) return
  throw refuse('resource_conflict', {
    message: 'This is the only owner of the organization. Make another member an owner first.',
  })
}

/** Ends the member's sessions and revokes their links. Returns the ended sessions, to evict after the commit. */
export async function revokeAccess(
  tx: Tx,
  organization: string,
  user: string,
  membership: AccountMembershipRow | undefined,
  now: number,
): Promise<string[]> {
  tx.write(deleteUnusedLinks, { organization, user })
  if (membership === undefined) return []
  const active = await tx.all(listSessionsOfMember, { organization, account: membership.account })
  for (const { id } of active) endSession(tx, id, now)
  return active.map(({ id }) => id)
}
