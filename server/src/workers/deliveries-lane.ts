/**
 * One endpoint while this process holds it: reads what is due in its order, has a few attempts under way, and gives the
 * endpoint back when nothing is due. A new attempt begins only when it will have ended before the lease has.
 */
import type { Services } from '../api/services.ts'
import { query } from '../db/query.ts'
import type { WebhookDeliveryRow, WebhookEndpointRow } from '../db/schema.ts'
import { limits } from '../lib/limits.ts'
import { attemptDelivery } from './deliveries-attempt.ts'
import type { Results } from './deliveries-results.ts'

const findEndpoint = query((db, p) =>
  db.selectFrom('webhook_endpoints').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

const dueDeliveries = query((db, p) =>
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

const findEvent = query((db, p) =>
  db.selectFrom('events').selectAll().where('realm', '=', p('realm')).where('sequence', '=', p('sequence')),
)

const dropDelivery = query((db, p) =>
  db.deleteFrom('webhook_deliveries').where('realm', '=', p('realm')).where('id', '=', p('id')),
)

const letGo = query((db, p) =>
  db
    .updateTable('webhook_endpoints')
    .set({ lease_owner: null, lease_until: null })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('lease_owner', '=', p('owner')),
)

/** After `letGo`, whose lock on the row makes sure that no delivery is added behind this statement's back. */
const setNextDue = query((db, p) =>
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

interface Lease {
  readonly realm: number
  readonly id: string
  readonly owner: string
  readonly until: number
}

export class Lane {
  /** The end of the lease. */
  until: number
  /** The endpoint has failed again and again: it gets one attempt at a time. */
  troubled = false
  readonly ended: Promise<void>
  private readonly services: Services
  private readonly results: Results
  private readonly lease: Lease
  private readonly slot: () => Promise<() => void>
  private readonly end: () => void
  /** Begun and not yet written down. */
  private readonly open = new Map<string, Promise<void>>()
  private endpoint: WebhookEndpointRow | null = null
  private underWay = 0
  private stopped = false
  private moved: () => void = () => {}

  constructor(services: Services, results: Results, lease: Lease, slot: () => Promise<() => void>) {
    this.services = services
    this.results = results
    this.lease = lease
    this.slot = slot
    this.until = lease.until
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.end = resolve
  }

  /** Begins nothing more. */
  stop(): void {
    this.stopped = true
    this.moved()
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { id } = this.lease
    try {
      await this.work()
    } catch (error) {
      // The endpoint is left to its lease: sending on what cannot be written down would send it again and again.
      this.stopped = true
      this.services.log.error('the deliveries of a webhook endpoint stopped', { endpoint: id, error: String(error) })
    }
    await Promise.allSettled(this.open.values())
    if (this.failure === null) {
      await this.giveBack().catch((error) => {
        this.services.log.warn('a webhook endpoint was not given back', { endpoint: id, error: String(error) })
      })
    }
    this.end()
  }

  private failure: { readonly error: unknown } | null = null

  private async work(): Promise<void> {
    while (this.mayBegin()) {
      const due = await this.due()
      if (due.length === 0 && this.open.size === 0) return
      for (const delivery of due) {
        await this.room()
        if (!this.mayBegin()) break
        await this.begin(delivery)
      }
      if (due.length === 0) await this.move()
    }
  }

  private mayBegin(): boolean {
    if (this.failure !== null) throw this.failure.error
    const enough = limits.webhook_attempt_ms + limits.webhook_renewal_ms
    return !this.stopped && this.until - this.services.clock.now() >= enough
  }

  /** What is due and not begun yet, in its order; nothing when the endpoint does not want deliveries any more. */
  private async due(): Promise<WebhookDeliveryRow[]> {
    const { realm, id } = this.lease
    const reader = this.services.store.reader('system')
    const endpoint = await reader.first(findEndpoint, { realm, id })
    if (endpoint === undefined || endpoint.status !== 'enabled') {
      this.stopped = true
      return []
    }
    this.endpoint = endpoint
    this.troubled = endpoint.consecutive_failures >= limits.webhook_troubled_failures
    const begun = new Set(this.open.keys())
    const count = begun.size + limits.webhook_due_batch_max
    const rows = await reader.all(dueDeliveries, { realm, endpoint: id, now: this.services.clock.now(), count })
    return rows.filter((row) => !begun.has(row.id))
  }

  /** Waits until one more may be under way. */
  private async room(): Promise<void> {
    const most = this.troubled ? 1 : limits.webhook_in_flight_max
    while (!this.stopped && (this.underWay >= most || this.open.size >= limits.webhook_unrecorded_max))
      await this.move()
  }

  private async begin(delivery: WebhookDeliveryRow): Promise<void> {
    const { realm, sequence } = delivery
    const event = await this.services.store.reader('system').first(findEvent, { realm, sequence })
    if (event === undefined) {
      await this.services.store.write('system', async (tx) => tx.write(dropDelivery, { realm, id: delivery.id }))
      return
    }
    const ended = await this.slot()
    this.underWay++
    const attempt = attemptDelivery(this.services, this.endpoint as WebhookEndpointRow, delivery, event).finally(() => {
      ended()
      this.underWay--
      this.moved()
    })
    const written = attempt
      .then((outcome) => this.results.add(outcome))
      .catch((error) => {
        this.failure ??= { error }
      })
      .finally(() => {
        this.open.delete(delivery.id)
        this.moved()
      })
    this.open.set(delivery.id, written)
  }

  /** Waits for an attempt to end or to be written down. */
  private move(): Promise<void> {
    return new Promise((resolve) => {
      this.moved = resolve
    })
  }

  private async giveBack(): Promise<void> {
    const { realm, id, owner } = this.lease
    await this.services.store.write('system', async (tx) => {
      const held = await tx.run(letGo, { realm, id, owner })
      if (held > 0) tx.write(setNextDue, { realm, id })
    })
  }
}
