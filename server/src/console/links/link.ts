/**
 * Links that let somebody in, once and for a limited time: to set an account up, to join, to get a new password. Whoever
 * has the link has proved nothing else, so an account that has a password already asks for it; only a link of the
 * operator's replaces one. The token stands behind the `#` of the URL, which no browser sends and no log has.
 */
import { refuse } from '../../api/errors.ts'
import type { Services } from '../../api/services.ts'
import type { AccountLinkRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import { limits } from '../../lib/limits.ts'
import type { Sealer } from '../../lib/seal.ts'
import { newSecret } from '../sessions/cookie.ts'
import type { Link, Role } from '../shapes.ts'
import { findLink, removeUnused } from './queries.ts'

export type LinkKind = Link['kind']

const lives_ms: Readonly<Record<LinkKind, number>> = {
  set_up: limits.set_up_link_ms,
  reset: limits.set_up_link_ms,
  invitation: limits.invitation_ms,
}

export interface NewLink {
  readonly organization: string
  readonly kind: LinkKind
  readonly user: string
  readonly email: string
  readonly role: Role
  /** The user who makes it. */
  readonly by: string | null
}

/** Writes a link; those that the person has and has not used are over. Its token is nowhere else. */
export function insertLink(tx: Tx, sealer: Sealer, link: NewLink, now: number): { row: AccountLinkRow; token: string } {
  const { organization, kind, user, role, by } = link
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
    created_by: by,
    expires_at: now + lives_ms[kind],
    used_at: null,
  }
  tx.write(removeUnused, { organization, user })
  tx.insert('account_links', row)
  return { row, token }
}

export function urlOfLink(publicUrl: string, kind: LinkKind, token: string): string {
  return `${publicUrl}/${kind === 'invitation' ? 'invite' : 'set-up'}#${token}`
}

/** The link of a token, while it is good. Used, over and unknown look the same. */
export async function requireLink(
  { store, sealer }: Pick<Services, 'store' | 'sealer'>,
  token: string,
  now: number,
): Promise<AccountLinkRow> {
  const row = await store.reader('system').first(findLink, { digest: sealer.digest(token) })
  if (row === undefined || row.used_at !== null || now >= row.expires_at) throw refuse('link_invalid')
  return row
}
