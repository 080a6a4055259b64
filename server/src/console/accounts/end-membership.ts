/** What ends with a membership that another account takes over, or that is deleted. */
import type { AccountMembershipRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { deleteUnusedLinks } from '../links/queries.ts'
import { endGrant } from '../oauth/grants.ts'
import { listGrantsOfUser } from '../oauth/queries.ts'
import { deleteIdentitiesOfMember } from '../openid/queries.ts'
import { deletePasskeysOfAccount } from '../passkeys/queries.ts'
import { deleteSecondFactor } from '../second-factor/queries.ts'
import { endSession } from '../sessions/lifecycle.ts'
import { listSessionsOfAccount, listSessionsOfMember } from '../sessions/queries.ts'
import { deleteAccount, deleteMembership, findMembership, findMembershipOfAccount } from './queries.ts'

/** Deletes the member's OpenID identities and ends the grants of applications. Call `services.credentials.forget()` after the commit. */
export async function revokeDelegations(tx: Tx, organization: string, user: string, now: number): Promise<void> {
  tx.write(deleteIdentitiesOfMember, { organization, user })
  for (const grant of await tx.all(listGrantsOfUser, { organization, user, now })) await endGrant(tx, grant, now)
}

/** Deletes the member's membership with every way to sign in to it, and their unused links. Returns the ended sessions, to evict after the commit. */
export async function endMembership(tx: Tx, organization: string, user: string, now: number): Promise<string[]> {
  await revokeDelegations(tx, organization, user, now)
  tx.write(deleteUnusedLinks, { organization, user })
  const membership = await tx.first(findMembership, { organization, user })
  if (membership === undefined) return []
  tx.write(deleteMembership, { organization, user })
  return await leaveAccount(tx, membership, now)
}

/** Deletes the account's passkeys and second factor and ends its sessions, which are returned. */
export async function revokeAccount(tx: Tx, account: string, now: number): Promise<string[]> {
  tx.write(deletePasskeysOfAccount, { account })
  deleteSecondFactor(tx, account)
  return endAll(tx, await tx.all(listSessionsOfAccount, { account }), now)
}

/**
 * Ends the sessions that the account had in the organization of a membership that it has no longer, and returns them. Deletes an
 * account that has no membership left.
 */
export async function leaveAccount(
  tx: Tx,
  { organization, account }: AccountMembershipRow,
  now: number,
): Promise<string[]> {
  if ((await tx.first(findMembershipOfAccount, { account })) !== undefined) {
    return endAll(tx, await tx.all(listSessionsOfMember, { organization, account }), now)
  }
  tx.write(deleteAccount, { id: account })
  return await revokeAccount(tx, account, now)
}

function endAll(tx: Tx, sessions: readonly { readonly id: string }[], now: number): string[] {
  for (const { id } of sessions) endSession(tx, id, now)
  return sessions.map(({ id }) => id)
}
