/**
 * Limits sign-in attempts per email address and per IP address. An attempt is counted before it is verified and uncounted
 * on success, so parallel attempts cannot pass the limit. Earlier failures stay counted: an address may have several
 * accounts, and signing in to one must not allow more guesses at another. The counts are in the database, shared by all
 * processes.
 */
import { refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { Tx } from '../../db/store.ts'
import { console_limits } from '../limits.ts'

/** `email` is null for a passkey, which names its account only once verified. */
export interface Attempt {
  readonly address: string
  readonly email: string | null
  /** The account whose second factor is tried. */
  readonly secondFactorOf?: string
}

const incrementFailures = query((db, p: Placeholder<{ subject: string; now: number; before: number }>) =>
  db
    .insertInto('sign_in_failures')
    .values({ subject: p('subject'), failures: 1, since: p('now') })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet((eb) => ({
        failures: eb
          .case()
          .when('sign_in_failures.since', '<=', p('before'))
          .then(1)
          .else(eb('sign_in_failures.failures', '+', 1))
          .end(),
        since: eb
          .case()
          .when('sign_in_failures.since', '<=', p('before'))
          .then(eb.ref('excluded.since'))
          .else(eb.ref('sign_in_failures.since'))
          .end(),
      })),
    ),
)

const findFailures = query((db, p: Placeholder<{ subject: string }>) =>
  db.selectFrom('sign_in_failures').select(['failures', 'since']).where('subject', '=', p('subject')),
)

const decrementFailures = query((db, p: Placeholder<{ subject: string }>) =>
  db
    .updateTable('sign_in_failures')
    .set((eb) => ({ failures: eb('failures', '-', 1) }))
    .where('subject', '=', p('subject'))
    .where('failures', '>', 0),
)

const insertLock = query((db, p: Placeholder<{ subject: string; now: number }>) =>
  db
    .insertInto('sign_in_failures')
    .values({ subject: p('subject'), failures: 0, since: p('now') })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet((eb) => ({ failures: eb.ref('sign_in_failures.failures') })),
    ),
)

type ThrottleServices = Pick<Services, 'store' | 'sealer' | 'clock'>

/** Counts an attempt; refuses it with 429 over the limit. */
export async function countAttempt({ store, sealer, clock }: ThrottleServices, attempt: Attempt): Promise<void> {
  const now = clock.now()
  const retry_at = await store.write('system', async (tx) => {
    let latest: number | null = null
    for (const { subject, failures_max } of subjectsOf(sealer, attempt)) {
      tx.write(incrementFailures, { subject, now, before: now - limits.sign_in_window_ms })
      const counted = await tx.first(findFailures, { subject })
      if (counted === undefined || counted.failures <= failures_max) continue
      latest = Math.max(latest ?? 0, counted.since + limits.sign_in_window_ms)
    }
    return latest
  })
  if (retry_at === null) return
  throw refuse('too_many_attempts', { retryAfter: Math.max(1, Math.ceil((retry_at - now) / 1000)) })
}

/** Counts a sign-in that is started at an OpenID provider, which stores a row; refuses it with 429 over the limit. */
export async function countStart(services: ThrottleServices, address: string): Promise<void> {
  await countRow(services, `openid ${address}`, console_limits.openid_starts_max)
}

/** The same for a client of OAuth that registers itself. */
export async function countRegistration(services: ThrottleServices, address: string): Promise<void> {
  await countRow(services, `oauth ${address}`, console_limits.oauth_registrations_max)
}

async function countRow({ store, sealer, clock }: ThrottleServices, of: string, most: number): Promise<void> {
  const now = clock.now()
  const subject = subjectOf(sealer, of)
  const counted = await store.write('system', async (tx) => {
    tx.write(incrementFailures, { subject, now, before: now - limits.sign_in_window_ms })
    return await tx.first(findFailures, { subject })
  })
  if (counted === undefined || counted.failures <= most) return
  const left_ms = counted.since + limits.sign_in_window_ms - now
  throw refuse('too_many_attempts', { retryAfter: Math.max(1, Math.ceil(left_ms / 1000)) })
}

/**
 * Counts a mail with a link to an address, asked from a source; refuses it with 429 over the limit. Over the limit of the address the
 * answer is the same whether it has an account.
 */
export async function countMailedLink(
  tx: Tx,
  sealer: ThrottleServices['sealer'],
  { email, source }: { readonly email: string; readonly source: string },
  now: number,
): Promise<void> {
  const subjects = [
    { subject: subjectOf(sealer, `mailed to ${email}`), most: console_limits.mailed_links_max },
    { subject: subjectOf(sealer, `mailed from ${source}`), most: console_limits.mailed_links_source_max },
  ]
  for (const { subject, most } of subjects) {
    const before = now - limits.sign_in_window_ms
    const counted = await tx.first(findFailures, { subject })
    if (counted !== undefined && counted.since > before && counted.failures >= most) {
      const left_ms = counted.since + limits.sign_in_window_ms - now
      throw refuse('too_many_attempts', { retryAfter: Math.max(1, Math.ceil(left_ms / 1000)) })
    }
  }
  for (const { subject } of subjects)
    tx.write(incrementFailures, { subject, now, before: now - limits.sign_in_window_ms })
}

/** Uncounts a successful attempt. */
export function forgiveAttempt(tx: Tx, sealer: ThrottleServices['sealer'], attempt: Attempt): void {
  for (const { subject } of subjectsOf(sealer, attempt)) tx.write(decrementFailures, { subject })
}

/**
 * Locks the accounts of an email address until the end of the transaction, so that two organizations do not create
 * accounts of the same address at the same time.
 */
export function lockEmail(tx: Tx, sealer: ThrottleServices['sealer'], email: string, now: number): void {
  tx.write(insertLock, { subject: subjectOf(sealer, `account ${email}`), now })
}

interface ThrottledSubject {
  /** A digest: users type passwords into the email field, and those must not be stored. */
  readonly subject: string
  readonly failures_max: number
}

function subjectOf(sealer: ThrottleServices['sealer'], text: string): string {
  return sealer.mac('sign-in attempts', text).toString('hex')
}

/** Always in this order: every transaction locks the account's row before the address's, which avoids deadlocks. */
function subjectsOf(
  sealer: ThrottleServices['sealer'],
  { address, email, secondFactorOf }: Attempt,
): ThrottledSubject[] {
  const byAddress = {
    subject: subjectOf(sealer, `address ${address}`),
    failures_max: console_limits.sign_in_address_failures_max,
  }
  if (secondFactorOf !== undefined) {
    const byFactor = {
      subject: subjectOf(sealer, `second factor ${secondFactorOf}`),
      failures_max: console_limits.second_factor_failures_max,
    }
    return [byFactor, byAddress]
  }
  if (email === null) return [byAddress]
  const byAccount = {
    subject: subjectOf(sealer, `account ${email}`),
    failures_max: console_limits.sign_in_account_failures_max,
  }
  return [byAccount, byAddress]
}
