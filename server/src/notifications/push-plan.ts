/**
 * Which notices an entry leads to: one for each browser of the person. The plan is made in the transaction that writes the entry, and a
 * notice's id follows from the entry and the browser. What it says is decided when it is sent.
 */
import { query } from '../db/query.ts'
import type { PushRow, PushSubscriptionRow } from '../db/schema.ts'
import type { Reader, Tx } from '../db/store.ts'
import type { KindName } from './kinds.ts'
import { inbox_limits } from './limits.ts'
import { afterQuiet } from './mail-plan.ts'
import { isPushed, type Preferences } from './preferences.ts'

const subscribed = query<Pick<PushSubscriptionRow, 'id' | 'user'>, { organization: string }>((db, p) =>
  db.selectFrom('push_subscriptions').select(['id', 'user']).where('organization', '=', p('organization')),
)

const plan = query<never, { [K in keyof PushRow]: PushRow[K] }>((db, p) =>
  db
    .insertInto('pushes')
    .values({
      realm: p('realm'),
      id: p('id'),
      organization: p('organization'),
      user: p('user'),
      notification: p('notification'),
      subscription: p('subscription'),
      status: p('status'),
      due_at: p('due_at'),
      attempts: p('attempts'),
      uncertain: p('uncertain'),
      lease_owner: p('lease_owner'),
      lease_until: p('lease_until'),
      error: p('error'),
      created: p('created'),
      updated: p('updated'),
    })
    .onConflict((conflict) => conflict.columns(['realm', 'id']).doNothing()),
)

/** The ids of the subscriptions of an organization, by user. */
export async function subscriptionsOf(reader: Reader, organization: string): Promise<Map<string, string[]>> {
  const byUser = Map.groupBy(await reader.all(subscribed, { organization }), ({ user }) => user)
  return new Map([...byUser].map(([user, rows]) => [user, rows.map(({ id }) => id)]))
}

interface PushedTo {
  readonly realm: number
  readonly organization: string
  readonly user: string
  readonly preferences: Preferences
  readonly subscriptions: readonly string[]
}

/** Plans the notices of an entry, as the person has chosen. */
export function planPushesOf(
  tx: Tx,
  { preferences, subscriptions, ...to }: PushedTo,
  entry: { readonly id: string; readonly kind: KindName },
  now: number,
): void {
  if (!isPushed(preferences, entry.kind)) return
  const unsent = { status: 'due', attempts: 0, uncertain: 0, lease_owner: null, lease_until: null, error: null }
  for (const subscription of subscriptions.slice(0, inbox_limits.inbox_subscriptions_max)) {
    const id = `${entry.id.replace(/^ntf_/, 'psh_')}_${subscription.slice(-inbox_limits.inbox_push_id_chars)}`
    const due_at = afterQuiet(preferences, now)
    tx.write(plan, { ...to, id, notification: entry.id, subscription, ...unsent, due_at, created: now, updated: now })
  }
}
