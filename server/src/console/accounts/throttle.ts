/**
 * Guessing is slowed down by account and by address. An attempt is counted before it is looked at and forgiven when it
 * was right, so that many at once are no way around; the count is in the database, so that processes share it.
 */
import { refuse } from '../../api/errors.ts'
import type { Services } from '../../api/services.ts'
import { type Query, query } from '../../db/query.ts'
import type { Tx } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'

/** Who guesses, and at whom; an attempt with a passkey names no account before it has succeeded. */
export interface Attempt {
  readonly address: string
  readonly email: string | null
}

const countOne: Query<unknown> = query((db, p) =>
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

const findCount = query((db, p) =>
  db.selectFrom('sign_in_failures').select(['failures', 'since']).where('subject', '=', p('subject')),
)

const forget: Query<unknown> = query((db, p) => db.deleteFrom('sign_in_failures').where('subject', '=', p('subject')))

const takeBack: Query<unknown> = query((db, p) =>
  db
    .updateTable('sign_in_failures')
    .set((eb) => ({ failures: eb('failures', '-', 1) }))
    .where('subject', '=', p('subject'))
    .where('failures', '>', 0),
)

type Counting = Pick<Services, 'store' | 'sealer' | 'clock'>

/** Counts an attempt; refuses it with 429 when there were too many. */
export async function countAttempt({ store, sealer, clock }: Counting, attempt: Attempt): Promise<void> {
  const now = clock.now()
  const over_at = await store.write('system', async (tx) => {
    let over: number | null = null
    for (const { subject, failures_max } of subjectsOf(sealer, attempt)) {
      tx.write(countOne, { subject, now, before: now - limits.sign_in_window_ms })
      const counted = await tx.first(findCount, { subject })
      if (counted === undefined || counted.failures <= failures_max) continue
      over = Math.max(over ?? 0, counted.since + limits.sign_in_window_ms)
    }
    return over
  })
  if (over_at === null) return
  throw refuse('too_many_attempts', { retryAfter: Math.max(1, Math.ceil((over_at - now) / 1000)) })
}

/** A right attempt is none: the account's failures are forgotten, the address has one less. */
export function forgiveAttempt(tx: Tx, sealer: Counting['sealer'], attempt: Attempt): void {
  for (const { subject, shared } of subjectsOf(sealer, attempt)) tx.write(shared ? takeBack : forget, { subject })
}

interface Subject {
  /** A digest: what people type into the wrong field must not be kept. */
  readonly subject: string
  readonly failures_max: number
  readonly shared: boolean
}

/** Always in this order, so that no two transactions wait for each other. */
function subjectsOf(sealer: Counting['sealer'], { address, email }: Attempt): Subject[] {
  const digest = (text: string): string => sealer.mac('sign-in attempts', text).toString('hex')
  const from = {
    subject: digest(`address ${address}`),
    failures_max: limits.sign_in_address_failures_max,
    shared: true,
  }
  if (email === null) return [from]
  const at = { subject: digest(`account ${email}`), failures_max: limits.sign_in_account_failures_max, shared: false }
  return [at, from]
}
