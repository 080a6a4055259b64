/**
 * Single-use links with an expiry: to set up an account, to accept an invitation, to reset a password. A link admits its
 * holder to one membership and proves nothing else, so joining with an existing account also needs its password.
 * The token is in the URL's fragment, which browsers do not send and logs do not contain.
 */
import { refuse } from '../../api/declare/errors.ts'
import type { Services } from '../../api/services.ts'
import type { AccountLinkRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/seal.ts'
import { console_limits } from '../limits.ts'
import { newSecret } from '../sessions/cookie.ts'
import type { AccountLink, Role } from '../shapes.ts'
import { deleteUnusedLinks, findLink } from './queries.ts'

export type LinkKind = AccountLink['kind']

const lifetimes_ms: Readonly<Record<LinkKind, number>> = {
  set_up: console_limits.set_up_link_ms,
  reset: console_limits.set_up_link_ms,
  invitation: console_limits.invitation_ms,
}

export interface NewLink {
  readonly organization: string
  readonly kind: LinkKind
  readonly user: string
  readonly email: string
  readonly role: Role
  /** The user who creates it; `null` for the operator. */
  readonly createdBy: string | null
}

/** Inserts a link and deletes the member's unused ones. The token is returned here only; the row has its digest. */
export function insertLink(tx: Tx, sealer: Sealer, link: NewLink, now: number): { row: AccountLinkRow; token: string } {
  const { organization, kind, user, role, createdBy } = link
  const token = newSecret()
  const row: AccountLinkRow = {
    id: newId('lnk', now),
    organization,
    kind,
    digest: sealer.digest(token),
    user,
    email: link.email.toLowerCase(),
    role,
    created: now,
    created_by: createdBy,
    expires_at: now + lifetimes_ms[kind],
    used_at: null,
  }
  tx.write(deleteUnusedLinks, { organization, user })
  tx.insert('account_links', row)
  return { row, token }
}

export function urlOfLink(publicUrl: string, kind: LinkKind, token: string): string {
  return `${publicUrl}/${kind === 'invitation' ? 'invite' : 'set-up'}#${token}`
}

/** The link of a token. A used, an expired and an unknown link give the same error. */
export async function requireValidLink(
  { store, sealer }: Pick<Services, 'store' | 'sealer'>,
  token: string,
  now: number,
): Promise<AccountLinkRow> {
  const row = await store.reader('system').first(findLink, { digest: sealer.digest(token) })
  if (row === undefined || row.used_at !== null || now >= row.expires_at) throw refuse('link_invalid')
  return row
}
