/**
 * Sends deliveries. A process leases endpoints, not deliveries, so it knows all deliveries in flight to an endpoint, at
 * most five, and begins first attempts in the order of the log. Each leased endpoint has its own lane; one that does not
 * answer fills only its lane. The endpoints of a process that died are taken over when its leases expire or another
 * process starts (leases.ts), and deliveries without a recorded result are sent again (contract/11#guarantee).
 */
import type { Services } from '../../api/services.ts'
import { isOneOf } from '../../db/dialect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { type LeasedKey, LeasedQueue } from '../leased-queue.ts'
import { newLeaseOwner } from '../leases.ts'
import { worker_limits } from '../limits.ts'
import { Slots } from '../slots.ts'
import { Lane, type Lease } from './lane.ts'
import { Results } from './results.ts'

/** Endpoints without a lease that have due deliveries: those that keep failing, or the others. */
const dueEndpoints = (troubled: boolean) =>
  query((db, p: Placeholder<{ now: number; failures: number; count: number }>) =>
    db
      .selectFrom('webhook_endpoints')
      .select(['realm', 'id'])
      .where('next_due_at', '<=', p('now'))
      .where('status', '=', 'enabled')
      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', p('now'))]))
      .where('consecutive_failures', troubled ? '>=' : '<', p('failures'))
      .orderBy('next_due_at')
      .limit(p('count')),
  )
const dueHealthy = dueEndpoints(false)
const dueTroubled = dueEndpoints(true)

const claimEndpoint = query(
  (db, p: Placeholder<{ owner: string | null; until: number | null; realm: number; id: string; now: number }>) =>
    db
      .updateTable('webhook_endpoints')
      .set({ lease_owner: p('owner'), lease_until: p('until') })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', p('now'))])),
)

/** Locks endpoints in the order of their ids to avoid deadlocks. */
const renewLeases = query((db, p: Placeholder<{ until: number | null; owners: string }>, dialect) => {
  const renewed = db.updateTable('webhook_endpoints').set({ lease_until: p('until') })
  const isHeld = isOneOf(dialect, 'lease_owner', p('owners'))
  if (dialect === 'sqlite') return renewed.where(isHeld)
  const inOrder = db.selectFrom('webhook_endpoints').select('id').where(isHeld).orderBy('id').forUpdate()
  return renewed.where('id', 'in', inOrder)
})

const stillHeld = query((db, p: Placeholder<{ owners: string }>, dialect) =>
  db
    .selectFrom('webhook_endpoints')
    .select('lease_owner')
    .where(isOneOf(dialect, 'lease_owner', p('owners'))),
)

export class Courier {
  private readonly services: Services
  private readonly results: Results
  private readonly slots = new Slots(worker_limits.webhook_attempts_max)
  private readonly queue: LeasedQueue<Lane>
  private nudged = 0

  constructor(services: Services) {
    this.services = services
    this.results = new Results(services)
    this.queue = new LeasedQueue({
      renewal_ms: worker_limits.webhook_renewal_ms,
      claimDue: () => this.claimDue(),
      renew: (lanes) => this.renew(lanes),
      // An endpoint may have waited for a free lane.
      onFree: () => services.wakeUps.call('deliveries'),
    })
  }

  /** Opens lanes for endpoints with due deliveries. Returns their number. */
  async claim(): Promise<number> {
    return await this.queue.claim()
  }

  private async claimDue(): Promise<number> {
    if (performance.now() - this.nudged >= worker_limits.webhook_nudge_ms) {
      this.nudged = performance.now()
      for (const lane of this.queue.items) lane.nudge()
    }
    const found = await this.due()
    if (found.length === 0) return 0
    const { store, clock } = this.services
    const now = clock.now()
    const leases = found
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((key) => ({ ...key, owner: newLeaseOwner(store), until: now + worker_limits.webhook_lease_ms }))
    const claimed = await store.write('system', (tx) =>
      Promise.all(leases.map((lease) => tx.run(claimEndpoint, { ...lease, now }))),
    )
    const held = leases.filter((_, i) => claimed[i] === 1)
    for (const lease of held) this.open(lease)
    return held.length
  }

  private async due(): Promise<LeasedKey[]> {
    const reader = this.services.store.reader('system')
    const bound = { now: this.services.clock.now(), failures: worker_limits.webhook_troubled_failures }
    const lanes = this.queue.items
    const troubled = lanes.filter((lane) => lane.troubled).length
    const room = worker_limits.webhook_lanes_max - lanes.length
    const roomForTroubled = Math.min(room, worker_limits.webhook_troubled_lanes_max - troubled)
    const healthy = room <= 0 ? [] : await reader.all(dueHealthy, { ...bound, count: room })
    const others = roomForTroubled <= 0 ? [] : await reader.all(dueTroubled, { ...bound, count: roomForTroubled })
    const all = [...healthy, ...others].slice(0, Math.max(0, room))
    return all.filter((key) => !this.queue.has(key))
  }

  private open(lease: Lease): void {
    this.queue.open(lease, new Lane(this.services, this.results, lease, this.slots))
  }

  /** Renews the leases; a lane whose endpoint another process has claimed starts nothing further. */
  private async renew(lanes: readonly Lane[]): Promise<void> {
    const until = this.services.clock.now() + worker_limits.webhook_lease_ms
    const owners = JSON.stringify(lanes.map((lane) => lane.lease.owner))
    try {
      const rows = await this.services.store.write('system', async (tx) => {
        tx.write(renewLeases, { owners, until })
        return await tx.all(stillHeld, { owners })
      })
      const held = new Set(rows.map((row) => row.lease_owner))
      for (const lane of lanes) {
        if (held.has(lane.lease.owner)) lane.until = Math.max(lane.until, until)
        else lane.stop()
      }
    } catch (error) {
      this.services.log.warn('the leases of webhook endpoints could not be renewed', { error: String(error) })
    }
  }

  /** Resolves when no lane is open. */
  async idle(): Promise<void> {
    await this.queue.idle()
  }

  /** Starts nothing further, and waits for the attempts in progress. */
  async end(): Promise<void> {
    await this.queue.end()
  }
}
