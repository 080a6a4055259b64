/**
 * Records ended attempts, many in one commit: the attempt, the next state of its delivery, and the health of the endpoint.
 * An attempt that this or another process has recorded already is not recorded again.
 */
import type { Mode } from '../../api/declare/caller.ts'
import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import { applyChange } from '../../api/write/change.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { WebhookEndpointRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { webhookEndpointDisabled } from '../../resources/webhook_endpoints/events.ts'
import { showWebhookEndpoint } from '../../resources/webhook_endpoints/webhook_endpoint.ts'
import { worker_limits } from '../limits.ts'
import { retryUnavailable } from '../retry-unavailable.ts'
import type { Outcome } from './attempt.ts'

const settleDelivery = query(
  (
    db,
    p: Placeholder<{
      status: string
      number: number
      cycle_attempts: number
      next_attempt_at: number | null
      realm: number
      id: string
      before: number
      cycle: number
    }>,
  ) =>
    db
      .updateTable('webhook_deliveries')
      .set({
        status: p('status'),
        attempts: p('number'),
        cycle_attempts: p('cycle_attempts'),
        next_attempt_at: p('next_attempt_at'),
      })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where('attempts', '=', p('before'))
      .where('cycle', '=', p('cycle')),
)

/** Counts an attempt whose delivery a resend or replay has put into another cycle; that cycle sets the next attempt. */
const countAttempt = query(
  (db, p: Placeholder<{ number: number; realm: number; id: string; before: number; cycle: number }>) =>
    db
      .updateTable('webhook_deliveries')
      .set({ attempts: p('number') })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where('attempts', '=', p('before'))
      .where('cycle', '>', p('cycle')),
)

const dropAttempts = query((db, p: Placeholder<{ realm: number; delivery: string; number: number }>) =>
  db
    .deleteFrom('webhook_attempts')
    .where('realm', '=', p('realm'))
    .where('delivery', '=', p('delivery'))
    .where('number', '<=', p('number')),
)

/** Locked until the commit, so that a concurrent request's reset is not overwritten. */
const lockEndpoint = query((db, p: Placeholder<{ realm: number; id: string }>, dialect) => {
  const endpoint = db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('deleted_at', 'is', null)
  return dialect === 'postgres' ? endpoint.forUpdate() : endpoint
})

const writeHealth = query(
  (
    db,
    p: Placeholder<{
      last_success_at: number | null
      last_failure_at: number | null
      consecutive_failures: number
      failing_since: number | null
      failing_event_first_at: number | null
      failing_event_last_at: number | null
      realm: number
      id: string
    }>,
  ) =>
    db
      .updateTable('webhook_endpoints')
      .set({
        last_success_at: p('last_success_at'),
        last_failure_at: p('last_failure_at'),
        consecutive_failures: p('consecutive_failures'),
        failing_since: p('failing_since'),
        failing_event_first_at: p('failing_event_first_at'),
        failing_event_last_at: p('failing_event_last_at'),
      })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id')),
)

interface FailedEndpoint {
  readonly row: WebhookEndpointRow
  readonly reason: string
}

/** Collects outcomes for a short time and records them together. */
export class Results {
  private readonly services: Services
  private waiting: { readonly outcome: Outcome; readonly settle: (error?: unknown) => void }[] = []
  private timer: NodeJS.Timeout | null = null

  constructor(services: Services) {
    this.services = services
  }

  /** Resolves when the outcome is committed. */
  add(outcome: Outcome): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown) => (error === undefined ? resolve() : reject(error))
      this.waiting.push({ outcome, settle })
      if (this.waiting.length >= worker_limits.webhook_record_batch_max) this.flush()
      else this.timer ??= setTimeout(() => this.flush(), worker_limits.webhook_record_ms)
    })
  }

  private flush(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
    const batch = this.waiting
    this.waiting = []
    const outcomes = batch.map(({ outcome }) => outcome)
    record(this.services, outcomes).then(
      () => {
        for (const { settle } of batch) settle()
      },
      (error) => {
        for (const { settle } of batch) settle(error)
      },
    )
  }
}

/**
 * Records outcomes in one transaction. Deliveries are locked in id order to avoid deadlocks, because after a takeover
 * another process may record attempts of the same ones; health follows the order in which the attempts ended. A result
 * that is not recorded is sent again, so the transaction is retried; a retry finds what an earlier one committed.
 */
async function record(services: Services, outcomes: readonly Outcome[]): Promise<void> {
  const byId = outcomes.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1))
  const attempt = () =>
    services.store.write('system', async (tx) => {
      const settled = await Promise.all(byId.map((outcome) => settle(tx, outcome)))
      const fresh = new Set(byId.filter((_, i) => settled[i]))
      return await updateHealth(
        tx,
        outcomes.filter((outcome) => fresh.has(outcome)),
      )
    })
  const failing = await retryUnavailable(attempt, {
    tries_max: worker_limits.webhook_record_tries_max,
    pause_ms: worker_limits.webhook_record_pause_ms,
  })
  for (const { row, reason } of failing) await disable(services, row, reason)
}

/** Returns false if this or another process has recorded this attempt already. */
async function settle(tx: Tx, { delivery, attempt, succeeded, next_attempt_at }: Outcome): Promise<boolean> {
  const { realm, id, attempts: before, cycle } = delivery
  const { number } = attempt
  const status = succeeded ? 'succeeded' : next_attempt_at === null ? 'failed' : 'pending'
  const key = { realm, id, before, cycle, number }
  const cycle_attempts = delivery.cycle_attempts + 1
  const isSettled = (await tx.run(settleDelivery, { ...key, status, cycle_attempts, next_attempt_at })) > 0
  if (!isSettled && (await tx.run(countAttempt, key)) === 0) return false
  tx.insert('webhook_attempts', attempt)
  const surplus = number - limits.event_attempts_max
  if (surplus > 0) tx.write(dropAttempts, { realm, delivery: id, number: surplus })
  return true
}

/** Updates the health of the endpoints. Returns those to disable: failing for too long, or gone by their own answer. */
async function updateHealth(tx: Tx, outcomes: readonly Outcome[]): Promise<FailedEndpoint[]> {
  const failing: FailedEndpoint[] = []
  const byEndpoint = Map.groupBy(outcomes, ({ delivery }) => delivery.endpoint)
  for (const id of [...byEndpoint.keys()].sort()) {
    const ended = byEndpoint.get(id) as Outcome[]
    const { realm } = (ended[0] as Outcome).delivery
    const row = await tx.first(lockEndpoint, { realm, id })
    if (row === undefined) continue
    const health = ended.reduce(after, row)
    tx.write(writeHealth, { ...health })
    const reason = row.status === 'enabled' ? reasonToDisable(health, ended) : null
    if (reason !== null) failing.push({ row, reason })
  }
  return failing
}

function after(row: WebhookEndpointRow, { succeeded, delivery, now }: Outcome): WebhookEndpointRow {
  const none = { failing_since: null, failing_event_first_at: null, failing_event_last_at: null }
  if (succeeded) return { ...row, ...none, last_success_at: now, consecutive_failures: 0 }
  const { event_created } = delivery
  return {
    ...row,
    last_failure_at: now,
    consecutive_failures: row.consecutive_failures + 1,
    failing_since: row.failing_since ?? now,
    failing_event_first_at: Math.min(row.failing_event_first_at ?? event_created, event_created),
    failing_event_last_at: Math.max(row.failing_event_last_at ?? event_created, event_created),
  }
}

/** After a 410, or after failures only for 5 days with events at least 12 hours apart (contract/11#disabled-endpoints). */
function reasonToDisable(row: WebhookEndpointRow, ended: readonly Outcome[]): string | null {
  if (ended.some(({ gone }) => gone)) return 'The endpoint answered 410 Gone.'
  const { failing_since, failing_event_first_at: first, failing_event_last_at: last, last_failure_at } = row
  if (failing_since === null || first === null || last === null || last_failure_at === null) return null
  const isLong = last_failure_at - failing_since >= limits.webhook_failing_ms
  const isFar = last - first >= limits.webhook_failing_apart_ms
  return isLong && isFar ? 'Every attempt has failed for 5 days.' : null
}

async function disable(services: Services, { realm, id, organization, mode }: WebhookEndpointRow, reason: string) {
  const realms = [{ realm, mode: mode as Mode }]
  const action = 'webhook_endpoints.disable'
  await commitSystemChange(services, { organization, realms, action }, async ({ tx, now, emit, note }) => {
    const row = await tx.first(lockEndpoint, { realm, id })
    if (row === undefined || row.status !== 'enabled') return
    const fields = { status: 'disabled', status_reason: reason, next_due_at: null }
    const changed = applyChange(tx, 'webhook_endpoints', row, fields, now) as WebhookEndpointRow
    note({ reason })
    emit(webhookEndpointDisabled, showWebhookEndpoint(changed, now), showWebhookEndpoint(row, now))
  })
}
