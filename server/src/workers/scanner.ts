/**
 * Which process looks for due work. On PostgreSQL one process at a time holds a lease for it: the others run no worker of
 * which one run at a time is enough, and look for other work when they are notified or at long intervals. The lease only
 * saves statements: each run still claims what it works on. SQLite does not notify, so each process looks.
 */
import type { Services } from '../api/services.ts'
import { claimLease, freeLease, newLeaseOwner } from './leases.ts'
import { worker_limits } from './limits.ts'

const lease = 'scanner'

export class Scanner {
  private readonly services: Services
  private owner: string | null = null
  private held = false

  constructor(services: Services) {
    this.services = services
  }

  /** Whether this process looks for due work. */
  get isHere(): boolean {
    return this.held || this.services.store.dialect !== 'postgres'
  }

  /** Takes the lease if it is free, or renews it. Called more often than it expires. Rejects with StoreUnavailable. */
  async keep(): Promise<void> {
    const { store, clock } = this.services
    if (store.dialect !== 'postgres') return
    this.owner ??= newLeaseOwner(store)
    try {
      this.held = await claimLease(store, lease, this.owner, clock.now(), worker_limits.scanner_lease_ms)
    } catch (error) {
      this.held = false
      throw error
    }
  }

  /** Lets another process take it at once. */
  async end(): Promise<void> {
    if (!this.held || this.owner === null) return
    this.held = false
    await freeLease(this.services.store, lease, this.owner).catch(() => {})
  }
}
