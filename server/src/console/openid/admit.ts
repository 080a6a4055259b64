/**
 * Which account a person of an OpenID provider signs in to. A known subject of the issuer has one, whatever its address is
 * now. A new subject needs an address that the provider has verified, in a domain that is allowed for the provider. It is
 * linked to the account with this address that is a member of the provider's organization; else it gets a new account,
 * because an account of another organization belongs to the person who knows its password (docs/decisions/accounts.md).
 */
import { randomFillSync } from 'node:crypto'
import { refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import type { RealmMode } from '../../api/write/record.ts'
import { commitSystemChange, recordSystemChange } from '../../api/write/system-change.ts'
import type { AccountIdentityRow, MemberRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import type { OpenIdClaims, OpenIdProviderSettings } from '../../egress/openid-provider.ts'
import { newId } from '../../lib/ids.ts'
import { wakeRunsWaitingFor } from '../../resources/automation_approvals/shared/approvals.ts'
import { memberCreated, memberUpdated } from '../../resources/members/events.ts'
import { showMember } from '../../resources/members/member.ts'
import { updateMember } from '../../resources/members/queries.ts'
import { requireRealms } from '../../resources/organizations/shared/queries.ts'
import { newParameters } from '../accounts/password.ts'
import {
  findAccount,
  findAccountInOrganization,
  findMembership,
  listByEmail,
  listOwners,
  setRole,
} from '../accounts/queries.ts'
import { lockEmail } from '../accounts/throttle.ts'
import { authorOf, type RequestContext } from '../author.ts'
import { console_limits } from '../limits.ts'
import { deleteUnusedLinks, findMemberByEmail, findMemberByUser, findOpenLink } from '../links/queries.ts'
import { isAtLeast } from '../sessions/session.ts'
import type { Role } from '../shapes.ts'
import { findIdentity } from './queries.ts'

type Admission = Pick<AccountIdentityRow, 'account' | 'user'>

/** The account of the person; refuses a person who may not sign in. */
export async function admitPerson(
  context: RequestContext,
  provider: OpenIdProviderSettings,
  claims: OpenIdClaims,
): Promise<string> {
  const { services } = context
  const { organization, issuer } = provider
  const reader = services.store.reader('system')
  const realms = await requireRealms(services.store, organization)
  const known = await reader.first(findIdentity, { organization, issuer, subject: claims.subject })
  const admitted = known ?? (await admitNew(context, provider, claims, realms))
  const member = await reader.first(findMemberByUser, { organization, user: admitted.user })
  if (member?.status !== 'active') throw refuse('openid_member_refused')
  if (provider.roleClaim !== null) await followRole(context, provider, { claims, realms, member })
  return admitted.account
}

/** The address of a new person, in lower case, if it counts. */
function requireAddress({ domains }: OpenIdProviderSettings, { email, emailVerified }: OpenIdClaims): string {
  if (email === null || !emailVerified) throw refuse('openid_email_unverified')
  const [local = '', domain = '', ...more] = email.split('@')
  if (more.length > 0 || !domains.includes(domain)) throw refuse('openid_domain_refused')
  if (!/^[^\s<>,;:"()[\]\\\p{C}]{1,64}$/u.test(local)) throw refuse('openid_email_unverified')
  return email
}

async function admitNew(
  context: RequestContext,
  provider: OpenIdProviderSettings,
  claims: OpenIdClaims,
  realms: readonly RealmMode[],
): Promise<Admission> {
  const { services } = context
  const { organization, issuer } = provider
  const email = requireAddress(provider, claims)
  const now = services.clock.now()
  const admitted = await services.store.write('system', async (tx) => {
    await tx.heads(organization)
    lockEmail(tx, services.sealer, email, now)
    // Another request may have admitted the person in the meantime.
    const known = await tx.first(findIdentity, { organization, issuer, subject: claims.subject })
    if (known !== undefined) return known
    const found = await findPerson(tx, organization, email)
    const user = found.member?.user ?? newId('usr', now)
    const change = { organization, realms, action: actionOf(found), ...authorOf(context, user) }
    return await recordSystemChange(tx, change, now, async ({ emit, note }) => {
      const member = found.member ?? newMember({ organization, user, email }, claims, now)
      const role = found.account === null ? await firstRole(tx, provider, claims, { organization, user, now }) : null
      if (found.member === null) {
        const row = { ...member, role }
        tx.insert('members', row)
        emit(memberCreated, showMember(row))
      } else if (member.status === 'pending') {
        const active: MemberRow = { ...member, status: 'active', updated: now }
        tx.write(updateMember, { ...active })
        emit(memberUpdated, showMember(active), showMember(member))
      }
      const account = found.account ?? (await insertAccount(tx, email, now))
      if (role !== null) {
        tx.insert('account_memberships', { organization, account, user, role, created: now, updated: now })
        // An invitation that is still open would let its holder take the membership over.
        tx.write(deleteUnusedLinks, { organization, user })
      }
      const { subject } = claims
      tx.insert('account_identities', { organization, issuer, subject, account, user, created: now, last_used_at: now })
      note({ target: { object: 'member', id: member.id } })
      return { account, user }
    })
  })
  for (const { realm } of realms) services.committed(realm)
  return admitted
}

interface FoundPerson {
  readonly member: MemberRow | null
  readonly account: string | null
}

function actionOf({ member, account }: FoundPerson): string {
  return member === null ? 'members.create' : account === null ? 'accounts.create' : 'accounts.link'
}

/** The member with this address and their account. Refuses a member who is inactive or signs in with another address. */
async function findPerson(tx: Tx, organization: string, email: string): Promise<FoundPerson> {
  const member = await tx.first(findMemberByEmail, { organization, email })
  if (member !== undefined) {
    if (member.status === 'inactive') throw refuse('openid_member_refused')
    const membership = await tx.first(findMembership, { organization, user: member.user })
    if (membership === undefined) return { member, account: null }
    const account = await tx.first(findAccount, { id: membership.account })
    if (account?.email !== email) throw refuse('openid_member_refused', { message: other_address })
    return { member, account: account.id }
  }
  // After a change of the member's address, the account keeps the address it signs in with.
  for (const { id } of await tx.all(listByEmail, { email })) {
    const membership = await tx.first(findAccountInOrganization, { organization, account: id })
    const former = membership && (await tx.first(findMemberByUser, { organization, user: membership.user }))
    if (former === undefined) continue
    if (former.status === 'inactive') throw refuse('openid_member_refused')
    return { member: former, account: id }
  }
  return { member: null, account: null }
}

const other_address =
  'Your membership signs in with another e-mail address. Sign in with the password, or ask an owner of the organization.'

function newMember(
  { organization, user, email }: Pick<MemberRow, 'organization' | 'user'> & { readonly email: string },
  { firstName, lastName }: OpenIdClaims,
  now: number,
): MemberRow {
  return {
    organization,
    id: newId('mbr', now),
    created: now,
    updated: now,
    user,
    email,
    first_name: firstName?.slice(0, limits.person_name_chars_max) ?? null,
    last_name: lastName?.slice(0, limits.person_name_chars_max) ?? null,
    profile_picture_url: null,
    role: null,
    status: 'active',
  }
}

/** An account that no password opens: its hash is random, with the salt that all accounts of the address share. */
async function insertAccount(tx: Tx, email: string, now: number): Promise<string> {
  const id = newId('acc', now)
  const [other] = await tx.all(listByEmail, { email })
  const random = randomFillSync(Buffer.alloc(console_limits.argon2_hash_bytes)).toString('base64').replaceAll('=', '')
  const password_hash = `${newParameters(other?.password_hash)}$${random}`
  tx.insert('accounts', {
    ...{ id, email, password_hash, password_changed_at: 0, created: now, updated: now, email_proved_at: null },
  })
  return id
}

/** The role of a new membership: by the claim, else that of an open invitation, else the provider's default. */
async function firstRole(
  tx: Tx,
  provider: OpenIdProviderSettings,
  claims: OpenIdClaims,
  invited: { readonly organization: string; readonly user: string; readonly now: number },
): Promise<Role> {
  if (provider.roleClaim !== null) return roleOf(provider, claims)
  const invitation = await tx.first(findOpenLink, invited)
  return (invitation?.role as Role | undefined) ?? provider.defaultRole
}

/** The highest role that the values of the claim give; the default if they give none. */
function roleOf({ roles, defaultRole }: OpenIdProviderSettings, claims: OpenIdClaims): Role {
  const given = claims.roles.flatMap((value) => (Object.hasOwn(roles, value) ? [roles[value] as Role] : []))
  return given.toSorted((a, b) => (isAtLeast(a, b) ? -1 : 1))[0] ?? defaultRole
}

interface RoleChange {
  readonly claims: OpenIdClaims
  readonly realms: readonly RealmMode[]
  readonly member: MemberRow
}

/** Gives the member the role of the claim, as at each sign-in. The only owner of the organization stays one. */
async function followRole(
  context: RequestContext,
  provider: OpenIdProviderSettings,
  { claims, realms, member }: RoleChange,
): Promise<void> {
  const { services } = context
  const { organization, user } = member
  const role = roleOf(provider, claims)
  const key = { organization, user }
  if ((await services.store.reader('system').first(findMembership, key))?.role === role) return
  const change = {
    organization,
    realms,
    action: 'members.update',
    everywhere: true,
    ...authorOf(context, user),
  } as const
  await commitSystemChange(services, change, async ({ tx, now, emit }) => {
    const before = (await tx.first(findMemberByUser, key)) ?? member
    const owners = await tx.all(listOwners, { organization })
    if (role !== 'owner' && owners.length === 1 && owners[0]?.user === user) {
      services.log.warn('the only owner keeps the role, against the claim of the OpenID provider', { user })
      return
    }
    const after: MemberRow = { ...before, role, updated: now }
    tx.write(setRole, { ...key, role, now })
    tx.write(updateMember, { ...after })
    if (role === 'guest') for (const { realm } of realms) await wakeRunsWaitingFor(tx, realm, user, now)
    emit(memberUpdated, showMember(after), showMember(before))
  })
  // Token scopes follow from the role, so cached credentials are stale.
  services.credentials.forget()
}
