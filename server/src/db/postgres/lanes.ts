/**
 * The waiting writes of all organizations, and the lanes that commit them. A lane takes the next jobs of every organization
 * in turn, so that one transaction carries many organizations and none waits behind another's long queue. Invariant: an
 * organization's jobs are in one batch at a time, in the order of their arrival.
 */
import { performance } from 'node:perf_hooks'
import { db_limits } from '../limits.ts'
import { organizationOf, type Waiting } from '../store.ts'

/** Commits a batch, settles its jobs, and calls `release` with each organization whose next jobs may be taken. */
type Commit = (batch: readonly Waiting[], release: (organization: string) => void) => Promise<void>

export class Lanes {
  private readonly queues = new Map<string, Waiting[]>()
  /** Organizations whose jobs are in a batch. */
  private readonly taken = new Set<string>()
  /** Organizations whose jobs rolled back a batch, and until when they commit separately. */
  private readonly separated = new Map<string, number>()
  private readonly running = new Set<Promise<void>>()
  private readonly commit: Commit
  private readonly shares: boolean

  /** Without `shares`, a batch has the jobs of one organization: on Citus, those of others may lie on other nodes. */
  constructor(commit: Commit, shares: boolean) {
    this.commit = commit
    this.shares = shares
  }

  add(waiting: Waiting): void {
    const organization = organizationOf(waiting.scope)
    const queue = this.queues.get(organization)
    if (queue === undefined) this.queues.set(organization, [waiting])
    else queue.push(waiting)
    if (!this.taken.has(organization)) this.start()
  }

  /** The organization's jobs commit without others' for a while. */
  separate(organization: string): void {
    this.separated.set(organization, performance.now() + db_limits.separate_ms)
  }

  private start(): void {
    const lanes = this.shares ? db_limits.write_lanes : db_limits.separate_lanes
    if (this.running.size >= lanes) return
    const lane = this.run().finally(() => this.running.delete(lane))
    this.running.add(lane)
  }

  private async run(): Promise<void> {
    for (;;) {
      // The requests that arrived in the same turn share the batch.
      await new Promise(setImmediate)
      const batch = this.take()
      if (batch.length === 0) return
      await this.commit(batch, (organization) => this.release(organization))
    }
  }

  private release(organization: string): void {
    this.taken.delete(organization)
    if (this.queues.has(organization)) this.start()
  }

  private take(): Waiting[] {
    const queues = this.nextQueues()
    const batch: Waiting[] = []
    for (let turn = 0; batch.length < db_limits.batch_writes_max; turn++) {
      const before = batch.length
      for (const [, queue] of queues) {
        const waiting = queue[turn]
        if (waiting !== undefined && batch.length < db_limits.batch_writes_max) batch.push(waiting)
      }
      if (batch.length === before) break
    }
    const counts = new Map<string, number>()
    for (const { scope } of batch) {
      const organization = organizationOf(scope)
      counts.set(organization, (counts.get(organization) ?? 0) + 1)
    }
    for (const [organization, count] of counts) {
      this.taken.add(organization)
      const queue = this.queues.get(organization) as Waiting[]
      queue.splice(0, count)
      // The map lists the organizations that wait longest first.
      this.queues.delete(organization)
      if (queue.length > 0) this.queues.set(organization, queue)
    }
    return batch
  }

  /** The organizations that may share the next batch, those that wait longest first; or one that commits alone. */
  private nextQueues(): [string, Waiting[]][] {
    const free = [...this.queues].filter(([organization]) => !this.taken.has(organization))
    const first = free[0]
    if (first !== undefined && (!this.shares || this.isSeparate(first[0]))) return [first]
    return free.filter(([organization]) => !this.isSeparate(organization))
  }

  isSeparate(organization: string): boolean {
    const until = this.separated.get(organization)
    if (until === undefined) return false
    if (performance.now() < until) return true
    this.separated.delete(organization)
    return false
  }

  get isRunning(): boolean {
    return this.running.size > 0
  }

  /** Resolves when no lane runs. */
  async ended(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running)
  }
}
