/**
 * Sends deliveries. A process leases endpoints, not deliveries, so it knows all deliveries in flight to an endpoint, at
 * most five, and begins first attempts in the order of the log. Each leased endpoint has its own lane; one that does not
 * answer fills only its lane. The endpoints of a process that died are taken over when its leases expire or another
 * process starts (leases.ts), and deliveries without a recorded result are sent again (contract/11#guarantee).
 */
import type { Services } from '../../api/services.ts'
import { isOneOf } from '../../db/dialect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { newLeaseOwner } from '../leases.ts'
import { worker_limits } from '../limits.ts'
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

interface Place {
  readonly realm: number
  readonly id: string
}

const keyOf = ({ realm, id }: Place): string => `${realm} ${id}`

export class Courier {
  private readonly services: Services
  private readonly results: Results
  private readonly lanes = new Map<string, Lane>()
  private readonly waiting: (() => void)[] = []
  private underWay = 0
  private nudged = 0
  private renewal: NodeJS.Timeout | null = null
  private stopped = false

  constructor(services: Services) {
    this.services = services
    this.results = new Results(services)
  }

  /** Opens lanes for endpoints with something due. Returns how many. */
  async takeOn(): Promise<number> {
    if (this.stopped) return 0
    if (performance.now() - this.nudged >= worker_limits.webhook_nudge_ms) {
      this.nudged = performance.now()
      for (const lane of this.lanes.values()) lane.nudge()
    }
    const found = await this.due()
    if (found.length === 0) return 0
    const { store, clock } = this.services
    const now = clock.now()
    const leases = found
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((place) => ({ ...place, owner: newLeaseOwner(store), until: now + worker_limits.webhook_lease_ms }))
    const claimed = await store.write('system', (tx) =>
      Promise.all(leases.map((lease) => tx.run(claimEndpoint, { ...lease, now }))),
    )
    const held = leases.filter((_, i) => claimed[i] === 1)
    for (const lease of held) this.open(lease)
    return held.length
  }

  private async due(): Promise<Place[]> {
    const reader = this.services.store.reader('system')
    const asked = { now: this.services.clock.now(), failures: worker_limits.webhook_troubled_failures }
    const troubled = [...this.lanes.values()].filter((lane) => lane.troubled).length
    const room = worker_limits.webhook_lanes_max - this.lanes.size
    const roomForTroubled = Math.min(room, worker_limits.webhook_troubled_lanes_max - troubled)
    const healthy = room <= 0 ? [] : await reader.all(dueHealthy, { ...asked, count: room })
    const others = roomForTroubled <= 0 ? [] : await reader.all(dueTroubled, { ...asked, count: roomForTroubled })
    const all = [...healthy, ...others].slice(0, Math.max(0, room))
    return all.filter((place) => !this.lanes.has(keyOf(place)))
  }

  private open(lease: Lease): void {
    const key = keyOf(lease)
    const lane = new Lane(this.services, this.results, lease, () => this.slot())
    this.lanes.set(key, lane)
    this.renewal ??= setInterval(() => void this.renew(), worker_limits.webhook_renewal_ms)
    if (this.stopped) lane.stop()
    void lane.run().finally(() => {
      this.lanes.delete(key)
      if (this.lanes.size === 0 && this.renewal !== null) {
        clearInterval(this.renewal)
        this.renewal = null
      }
      // There is room now for an endpoint that had to wait.
      if (!this.stopped) this.services.wakeUps.call('deliveries')
    })
  }

  /** Keeps what is held; a lane whose endpoint another process has taken over begins nothing more. */
  private async renew(): Promise<void> {
    const until = this.services.clock.now() + worker_limits.webhook_lease_ms
    const lanes = [...this.lanes.values()]
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

  /** Waits for one of the attempts that a process may have under way. Call what it returns when the attempt has ended. */
  private async slot(): Promise<() => void> {
    if (this.underWay >= worker_limits.webhook_attempts_max)
      await new Promise<void>((resolve) => this.waiting.push(resolve))
    else this.underWay++
    return () => {
      const next = this.waiting.shift()
      if (next === undefined) this.underWay--
      else next()
    }
  }

  /** Resolves when no lane is open. */
  async idle(): Promise<void> {
    while (this.lanes.size > 0) await Promise.all([...this.lanes.values()].map((lane) => lane.ended))
  }

  /** Begins nothing more, and waits for what is under way. */
  async end(): Promise<void> {
    this.stopped = true
    for (const lane of this.lanes.values()) lane.stop()
    await this.idle()
  }
}
