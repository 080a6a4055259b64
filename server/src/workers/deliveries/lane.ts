/**
 * An endpoint while this process holds its lease. The lane reads due deliveries in order, has a few attempts in flight,
 * and releases the endpoint when nothing is due. An attempt starts only if it ends before the lease does.
 */

import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { WebhookDeliveryRow } from '../../db/schema.ts'
import type { LeasedItem, LeasedKey } from '../leased-queue.ts'
import { worker_limits } from '../limits.ts'
import type { Slots } from '../slots.ts'
import { attemptDelivery } from './attempt.ts'
import { LaneConnections } from './connections.ts'
import type { Results } from './results.ts'

const findEndpoint = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.selectFrom('webhook_endpoints').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

const dueDeliveries = query((db, p: Placeholder<{ realm: number; endpoint: string; now: number; count: number }>) =>
  db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('endpoint', '=', p('endpoint'))
    .where('next_attempt_at', '<=', p('now'))
    .orderBy('next_attempt_at')
    .orderBy('sequence')
    .limit(p('count')),
)

const findEvent = query((db, p: Placeholder<{ realm: number; sequence: number }>) =>
  db.selectFrom('events').selectAll().where('realm', '=', p('realm')).where('sequence', '=', p('sequence')),
)

const dropDelivery = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.deleteFrom('webhook_deliveries').where('realm', '=', p('realm')).where('id', '=', p('id')),
)

const releaseEndpoint = query((db, p: Placeholder<{ realm: number; id: string; owner: string }>) =>
  db
    .updateTable('webhook_endpoints')
    .set({ lease_owner: null, lease_until: null })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('lease_owner', '=', p('owner')),
)

/** Follows `releaseEndpoint`, whose lock on the row makes transactions that mark the endpoint as due wait for the commit. */
const setNextDue = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .updateTable('webhook_endpoints')
    .set((eb) => ({
      next_due_at: eb
        .selectFrom('webhook_deliveries')
        .select((due) => due.fn.min('next_attempt_at').as('next'))
        .where('realm', '=', p('realm'))
        .where('endpoint', '=', p('id'))
        .where('next_attempt_at', 'is not', null),
    }))
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('status', '=', 'enabled'),
)

export interface Lease extends LeasedKey {
  readonly owner: string
  readonly until: number
}

export class Lane implements LeasedItem {
  /** The end of the lease. */
  until: number
  /** The endpoint keeps failing, so it gets one attempt at a time. */
  troubled = false
  readonly lease: Lease
  private readonly services: Services
  private readonly results: Results
  private readonly slots: Slots
  /** Started and not yet recorded, by delivery. */
  private readonly open = new Map<string, Promise<void>>()
  private readonly connections = new LaneConnections()
  private failure: { readonly error: unknown } | null = null
  private inFlight = 0
  private stopped = false
  private notify: () => void = () => {}

  constructor(services: Services, results: Results, lease: Lease, slots: Slots) {
    this.services = services
    this.results = results
    this.lease = lease
    this.slots = slots
    this.until = lease.until
  }

  /** Starts no further attempts. */
  stop(): void {
    this.stopped = true
    this.notify()
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { id } = this.lease
    try {
      await this.work()
    } catch (error) {
      this.failure ??= { error }
    }
    await Promise.allSettled(this.open.values())
    try {
      // The lease is left to expire: results that cannot be recorded would be sent again and again.
      if (this.failure !== null) throw this.failure.error
      await this.release()
    } catch (error) {
      const detail = error instanceof Error ? error.stack : String(error)
      this.services.log.error('the deliveries to a webhook endpoint stopped', { endpoint: id, error: detail })
    }
  }

  /** Reads due deliveries again: more may be due while the lane waits for a slow answer. */
  nudge(): void {
    this.notify()
  }

  private async work(): Promise<void> {
    while (this.mayStart()) {
      const due = await this.due()
      if (due.length === 0 && this.open.size === 0) return
      for (const delivery of due) {
        await this.room()
        if (!this.mayStart()) break
        await this.start(delivery)
      }
      if (due.length === 0) await this.change()
    }
  }

  private mayStart(): boolean {
    if (this.failure !== null) throw this.failure.error
    const needed_ms = limits.webhook_attempt_ms + worker_limits.webhook_renewal_ms
    return !this.stopped && this.until - this.services.clock.now() >= needed_ms
  }

  /** Due deliveries that have not been started, in order. */
  private async due(): Promise<WebhookDeliveryRow[]> {
    const { realm, id } = this.lease
    const started = new Set(this.open.keys())
    const bound = { realm, endpoint: id, now: this.services.clock.now() }
    const count = started.size + worker_limits.webhook_due_batch_max
    const rows = await this.services.store.reader('system').all(dueDeliveries, { ...bound, count })
    return rows.filter((row) => !started.has(row.id))
  }

  /** Waits until another attempt may start. */
  private async room(): Promise<void> {
    while (!this.stopped && !this.hasRoom()) await this.change()
  }

  private hasRoom(): boolean {
    const most = this.troubled ? 1 : limits.webhook_in_flight_max
    return this.inFlight < most && this.open.size < worker_limits.webhook_unrecorded_max && this.connections.hasOne()
  }

  /** Starts an attempt with the present row of the endpoint, which may have been paused or have a new secret. */
  private async start(delivery: WebhookDeliveryRow): Promise<void> {
    const { realm, endpoint: id, sequence } = delivery
    const reader = this.services.store.reader('system')
    const endpoint = await reader.first(findEndpoint, { realm, id })
    const event = await reader.first(findEvent, { realm, sequence })
    if (endpoint === undefined || endpoint.status !== 'enabled') return this.stop()
    if (event === undefined) {
      await this.services.store.write('system', async (tx) => tx.write(dropDelivery, { realm, id: delivery.id }))
      return
    }
    this.troubled = endpoint.consecutive_failures >= worker_limits.webhook_troubled_failures
    const release = await this.slots.take()
    this.inFlight++
    const connection = this.connections.take()
    const attempt = attemptDelivery(this.services, endpoint, delivery, event, connection).finally(() => {
      connection.end()
      release()
      this.inFlight--
      this.notify()
    })
    const written = attempt
      .then((outcome) => this.results.add(outcome))
      .catch((error) => {
        this.failure ??= { error }
      })
      .finally(() => {
        this.open.delete(delivery.id)
        this.notify()
      })
    this.open.set(delivery.id, written)
    await connection.onItsWay
  }

  /** Waits until an attempt has ended or was recorded. */
  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.notify = resolve
    })
  }

  private async release(): Promise<void> {
    const { realm, id, owner } = this.lease
    await this.services.store.write('system', async (tx) => {
      const held = await tx.run(releaseEndpoint, { realm, id, owner })
      if (held > 0) tx.write(setNextDue, { realm, id })
    })
  }
}
