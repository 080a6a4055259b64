/** Sends notices to browsers that are due (`send-queue.ts`). A browser that no longer receives them loses its subscription. */
import { hasSecondFactor } from '../api/request/session-credentials.ts'
import type { Services } from '../api/services.ts'
import { query } from '../db/query.ts'
import type { PushRow, PushSubscriptionRow } from '../db/schema.ts'
import { pushTargetContext } from '../db/secret-key/sealed-values.ts'
import { type PushTarget, sendNotice } from '../egress/push-service.ts'
import { inbox_limits } from '../notifications/limits.ts'
import { pushKeys } from '../notifications/push-keys.ts'
import { renderPush } from '../resources/notifications/shared/render-push.ts'
import { type Attempt, SendQueue } from './send-queue.ts'
import type { Worker } from './worker.ts'

/**
 * The browser, unless it is another person's by now, its session is removed, or has to prove a second factor first: in the organization
 * of the notice, which is not always the one that the session is in. `ended_at`: when its session was ended, if it was.
 */
const subscription = query<
  Pick<PushSubscriptionRow, 'target'> & { ended_at: number | null; expires_at: number },
  { organization: string; id: string; user: string }
>((db, p) =>
  db
    .selectFrom('push_subscriptions')
    .innerJoin('sessions', 'sessions.id', 'push_subscriptions.session')
    .innerJoin('organizations', 'organizations.organization', 'push_subscriptions.organization')
    .select(['push_subscriptions.target', 'sessions.ended_at', 'sessions.expires_at'])
    .where('push_subscriptions.organization', '=', p('organization'))
    .where('push_subscriptions.id', '=', p('id'))
    .where('push_subscriptions.user', '=', p('user'))
    .where(hasSecondFactor),
)

const remove = query<never, { organization: string; id: string }>((db, p) =>
  db.deleteFrom('push_subscriptions').where('organization', '=', p('organization')).where('id', '=', p('id')),
)

const queue = new SendQueue<PushRow>({
  table: 'pushes',
  noun: 'push',
  lease_ms: inbox_limits.push_lease_ms,
  attempts_max: inbox_limits.push_attempts_max,
  repeats_max: inbox_limits.push_repeats_max,
  first_wait_ms: inbox_limits.push_first_wait_ms,
  wait_factor: inbox_limits.push_wait_factor,
  wait_max_ms: inbox_limits.push_wait_max_ms,
  attempt: send,
})

export const pushWorker: Worker = {
  name: 'push',
  does: 'Sends notices to browsers that are due.',
  period_ms: 2_000,
  lease_ms: 60_000,
  batch_max: inbox_limits.push_batch_max,
  everywhere: true,
  run: (services, count) => queue.run(services, count),
}

async function send(services: Services, push: PushRow): Promise<Attempt> {
  const { store, sealer, clock } = services
  const { organization, user, subscription: id } = push
  const row = await store.reader('system').first(subscription, { organization, id, user })
  if (row === undefined) return { outcome: 'dropped' }
  if (row.ended_at !== null) return await unsubscribe(store, organization, id)
  // The browser gets notices again when its person has signed in there.
  if (row.expires_at <= clock.now()) return { outcome: 'dropped' }
  const notice = await renderPush(services, push)
  if (notice === null) return { outcome: 'dropped' }
  const target = JSON.parse(sealer.open(row.target, pushTargetContext(organization, id))) as PushTarget
  const pushed = await sendNotice(services, await pushKeys(services), target, notice)
  return pushed.outcome === 'gone' ? await unsubscribe(store, organization, id) : pushed
}

async function unsubscribe(store: Services['store'], organization: string, id: string): Promise<Attempt> {
  await store.write('system', async (tx) => tx.write(remove, { organization, id }))
  return { outcome: 'dropped' }
}
