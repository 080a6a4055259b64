/**
 * The items of one kind that this process holds by leases, such as webhook endpoints or automation runs. A claim opens
 * an item for each lease that it took; an item runs until nothing is left to do or its lease is lost. Leases are renewed
 * while any item is held. Invariants: an item is held once, and claims of a process never overlap, so that free places
 * are not counted twice.
 */
import type { Services } from '../api/services.ts'

export interface LeasedItem {
  /** Works and releases the lease at the end. Never rejects. */
  run(): Promise<void>
  /** Starts nothing further; `run` ends soon. */
  stop(): void
}

/** The row whose lease an item holds. */
export interface LeasedKey {
  readonly realm: number
  readonly id: string
}

export interface LeasedWork<Item extends LeasedItem> {
  readonly renewal_ms: number
  /** Claims due rows within the free places and opens an item for each. Returns how many were due. */
  claimDue(): Promise<number>
  /** Renews the leases of held items. Never rejects. */
  renew(items: readonly Item[]): Promise<void>
  /** Runs after an item has ended: there is room for another one. */
  onFree(): void
}

const nameOf = ({ realm, id }: LeasedKey): string => `${realm} ${id}`

export class LeasedQueue<Item extends LeasedItem> {
  private readonly work: LeasedWork<Item>
  private readonly held = new Map<string, Item>()
  private readonly running = new Set<Promise<void>>()
  private renewal: NodeJS.Timeout | null = null
  private claiming: Promise<number> | null = null
  private stopped = false

  constructor(work: LeasedWork<Item>) {
    this.work = work
  }

  get items(): readonly Item[] {
    return [...this.held.values()]
  }

  get isClaiming(): boolean {
    return this.claiming !== null
  }

  has(key: LeasedKey): boolean {
    return this.held.has(nameOf(key))
  }

  /** Claims due rows, after a claim that is in progress. Returns how many were due. */
  async claim(): Promise<number> {
    await this.claiming?.catch(() => 0)
    if (this.stopped) return 0
    this.claiming ??= this.work.claimDue().finally(() => {
      this.claiming = null
    })
    return await this.claiming
  }

  /** Holds and runs an item whose lease was claimed. */
  open(key: LeasedKey, item: Item): void {
    const name = nameOf(key)
    this.held.set(name, item)
    this.renewal ??= setInterval(() => void this.work.renew(this.items), this.work.renewal_ms)
    if (this.stopped) item.stop()
    const ended = item.run().finally(() => {
      this.held.delete(name)
      this.running.delete(ended)
      if (this.held.size === 0) this.endRenewal()
      if (!this.stopped) this.work.onFree()
    })
    this.running.add(ended)
  }

  private endRenewal(): void {
    if (this.renewal !== null) clearInterval(this.renewal)
    this.renewal = null
  }

  /** Resolves when no item is held and no claim is in progress. */
  async idle(): Promise<void> {
    while (this.running.size > 0 || this.claiming !== null) {
      await this.claiming?.catch(() => 0)
      await this.emptied()
    }
  }

  /** Resolves when the items that are held now have ended. */
  async emptied(): Promise<void> {
    await Promise.all(this.running)
  }

  /** Claims nothing further, stops the held items and waits for them. */
  async end(): Promise<void> {
    this.stopped = true
    for (const item of this.held.values()) item.stop()
    await this.idle()
  }
}

/** One instance for the services of a process: what it holds outlives the run of a worker. */
export function onePerProcess<T>(create: (services: Services) => T): (services: Services) => T {
  const created = new WeakMap<Services, T>()
  return (services) => {
    const known = created.get(services)
    if (known !== undefined) return known
    const instance = create(services)
    created.set(services, instance)
    return instance
  }
}
