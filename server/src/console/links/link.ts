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

/** Links that prove an address (`address`), or set the password of one account (`password`), are no memberships'. */
const membership_kinds: ReadonlySet<string> = new Set(['set_up', 'reset', 'invitation'] satisfies LinkKind[])

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

export interface InsertedLink {
  readonly row: AccountLinkRow
  readonly token: string
  /** Another token of the same link: the one for the mail, which proves that its holder has read the mail. */
  readonly mailedToken: string
}

/** Inserts a link and deletes the member's unused ones. The tokens are returned here only; the row has their digests. */
export function insertLink(tx: Tx, sealer: Sealer, link: NewLink, now: number): InsertedLink {
  const { organization, kind, user, role, createdBy } = link
  const [token, mailedToken] = [newSecret(), newSecret()]
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
    mailed_digest: kind === 'invitation' ? sealer.digest(mailedToken) : null,
    account: null,
  }
  tx.write(deleteUnusedLinks, { organization, user })
  tx.insert('account_links', row)
  return { row, token, mailedToken }
}

export function urlOfLink(publicUrl: string, kind: LinkKind, token: string): string {
  return `${publicUrl}/${kind === 'invitation' ? 'invite' : 'set-up'}#${token}`
}

export interface FoundLink extends AccountLinkRow {
  /** The token is the one that was sent by mail to the link's address. */
  readonly isMailed: boolean
}

/** The link of a token that admits to a membership. A used, an expired and an unknown link give the same error. */
export async function requireValidLink(services: LinkServices, token: string, now: number): Promise<FoundLink> {
  return await requireLink(services, token, now, (kind) => membership_kinds.has(kind))
}

type LinkServices = Pick<Services, 'store' | 'sealer'>

/** The same for other kinds of links. */
export async function requireLink(
  { store, sealer }: LinkServices,
  token: string,
  now: number,
  isKind: (kind: string) => boolean,
): Promise<FoundLink> {
  const digest = sealer.digest(token)
  const row = await store.reader('system').first(findLink, { digest })
  if (row === undefined || row.used_at !== null || now >= row.expires_at || !isKind(row.kind))
    throw refuse('link_invalid')
  return { ...row, isMailed: row.mailed_digest === digest }
}
