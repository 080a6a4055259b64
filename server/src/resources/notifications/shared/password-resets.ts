/**
 * Requests for new passwords. The sign-in page stores a request without looking for accounts, so that neither its answer nor the
 * time until the answer reveals whether an address has one. A worker then mails a link for each account that has a password and whose
 * address its person has proved (docs/decisions/accounts.md); for all other addresses it does nothing.
 */
import type { Mode } from '../../../api/declare/caller.ts'
import type { Services } from '../../../api/services.ts'
import { recordSystemChange } from '../../../api/write/system-change.ts'
import { literal, type Placeholder, query } from '../../../db/query.ts'
import type { AccountLinkRow, AccountRow, ResetRequestRow } from '../../../db/schema.ts'
import { resetRequestContext } from '../../../db/secret-key/sealed-values.ts'
import type { Tx } from '../../../db/store.ts'
import { randomBase62 } from '../../../lib/base62.ts'
import { newId } from '../../../lib/ids.ts'
import { minute_ms } from '../../../lib/units.ts'
import { mail_limits } from '../../../mail/limits.ts'
import { passwordLetter } from '../../../notifications/mail-texts.ts'
import { queueLinkMail } from './link-mail.ts'

const secret_chars = 43

const oldest = query<ResetRequestRow, { count: number }>((db, p) =>
  db.selectFrom('reset_requests').selectAll().orderBy('id').limit(p('count')),
)

const remove = query((db, p: Placeholder<{ id: string }>) => db.deleteFrom('reset_requests').where('id', '=', p('id')))

/** Accounts that a mail to their address may open: it was proved, and they have a password. */
const resettable = query((db, p: Placeholder<{ email: string }>) =>
  db
    .selectFrom('accounts')
    .selectAll()
    .where('email', '=', p('email'))
    .where('email_proved_at', 'is not', null)
    .where('password_changed_at', '>', 0)
    .orderBy('id')
    .limit(literal(mail_limits.reset_accounts_max)),
)

const activeMemberships = query((db, p: Placeholder<{ account: string }>) =>
  db
    .selectFrom('account_memberships')
    .innerJoin('members', (join) =>
      join
        .onRef('members.organization', '=', 'account_memberships.organization')
        .onRef('members.user', '=', 'account_memberships.user'),
    )
    .innerJoin('organizations', 'organizations.organization', 'account_memberships.organization')
    .select(['account_memberships.organization', 'account_memberships.user', 'account_memberships.role'])
    .select('organizations.name')
    .where('account_memberships.account', '=', p('account'))
    .where('members.status', '=', 'active')
    .orderBy('account_memberships.created')
    .orderBy('account_memberships.organization'),
)

const realmsOfOrganization = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('realms').select(['realm', 'mode']).where('organization', '=', p('organization')).orderBy('realm'),
)

type Resetting = Pick<Services, 'store' | 'sealer' | 'clock' | 'settings' | 'committed'>

/** Stores a request; the same for every address. */
export function storeResetRequest(
  tx: Tx,
  { sealer }: Pick<Services, 'sealer'>,
  { email, ip, userAgent }: { readonly email: string; readonly ip: string; readonly userAgent: string | null },
  now: number,
): void {
  const id = newId('rst', now)
  const sealed = sealer.seal(email, resetRequestContext(id))
  tx.insert('reset_requests', { id, email: sealed, ip, user_agent: userAgent, created: now })
}

/** Answers the oldest requests, each in one transaction. Returns how many. */
export async function answerResetRequests(services: Resetting, count: number): Promise<number> {
  const { store } = services
  const requests = await store.reader('system').all(oldest, { count })
  for (const request of requests) {
    const realms = await store.write('system', async (tx) =>
      (await tx.run(remove, { id: request.id })) === 0 ? [] : await mailLinks(services, tx, request),
    )
    for (const realm of realms) services.committed(realm)
  }
  return requests.length
}

async function mailLinks(services: Resetting, tx: Tx, request: ResetRequestRow): Promise<number[]> {
  const now = services.clock.now()
  // The link would be over before it is read.
  if (now - request.created >= mail_limits.reset_link_ms) return []
  const email = services.sealer.open(request.email, resetRequestContext(request.id))
  const found = []
  for (const account of await tx.all(resettable, { email })) {
    const memberships = await tx.all(activeMemberships, { account: account.id })
    const [first] = memberships
    if (first !== undefined) found.push({ account, first, names: memberships.map(({ name }) => name) })
  }
  // Locks of organizations are taken in the order of their ids, which avoids deadlocks.
  for (const organization of [...new Set(found.map(({ first }) => first.organization))].sort())
    await tx.heads(organization)
  const written = []
  for (const each of found) written.push(...(await mailLink(services, tx, { ...each, request }, now)))
  return written
}

interface Found {
  readonly account: AccountRow
  readonly first: { readonly organization: string; readonly user: string; readonly role: string }
  readonly names: readonly string[]
  readonly request: ResetRequestRow
}

/** Creates the link of an account and queues its mail. Older links stay valid, until one of them is used. */
async function mailLink(
  { sealer, settings }: Resetting,
  tx: Tx,
  { account, first, names, request }: Found,
  now: number,
): Promise<number[]> {
  const { organization, user, role } = first
  const realms = (await tx.all(realmsOfOrganization, { organization })).map(({ realm, mode }) => ({
    realm,
    mode: mode as Mode,
  }))
  const live = realms.find(({ mode }) => mode === 'live')
  if (live === undefined) return []
  const token = randomBase62(secret_chars)
  const { id, email } = account
  const row: AccountLinkRow = {
    ...{ id: newId('lnk', now), organization, kind: 'password', digest: sealer.digest(token), user, email, role },
    ...{ created: now, created_by: null, expires_at: now + mail_limits.reset_link_ms, used_at: null },
    ...{ mailed_digest: null, account: id },
  }
  const source = { ip: request.ip, user_agent: request.user_agent }
  await recordSystemChange(tx, { organization, realms, action: 'links.create', source }, now, async ({ note }) => {
    tx.insert('account_links', row)
    const url = `${settings.publicUrl}/reset-password#${token}`
    const text = passwordLetter(names, url, Math.round(mail_limits.reset_link_ms / minute_ms))
    queueLinkMail({ sealer }, tx, { realm: live.realm, organization, user, email }, text, now)
    note({ target: { object: 'link', id: row.id } })
  })
  return realms.map(({ realm }) => realm)
}
