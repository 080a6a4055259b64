/**
 * The waiting writes of all organizations, and the lanes that commit them. A lane takes the next jobs of every organization
 * in turn, so that one transaction carries many organizations and none waits behind another's long queue. Invariant: an
 * organization's jobs are in one batch at a time, in the order of their arrival.
 */
import { performance } from 'node:perf_hooks'
import { db_limits } from '../limits.ts'
import { organizationOf, type Scope, type Waiting } from '../store.ts'

/** Commits a batch, settles its jobs, and calls `release` with each organization whose next jobs may be taken. */
type Commit = (batch: readonly Waiting[], release: (organization: string) => void) => Promise<void>

/** Names the server of an organization's rows; null if it is not known. */
type ServerOf = (scope: Scope) => string | null

interface LanesMax {
  readonly most: number
  readonly mostOfServer: number
}

/** What a lane takes next. */
interface Next {
  /** Null for an organization that commits alone. */
  readonly server: string | null
  readonly queues: readonly (readonly [string, Waiting[]])[]
  /** Whether another lane would find something too. */
  readonly isMore: boolean
}

export class Lanes {
  private readonly queues = new Map<string, Waiting[]>()
  /** Organizations whose jobs are in a batch. */
  private readonly taken = new Set<string>()
  /** Organizations whose jobs rolled back a batch, and until when they commit separately. */
  private readonly separated = new Map<string, number>()
  private readonly running = new Set<Promise<void>>()
  /** How many lanes commit a batch of each server, without those that take long. */
  private readonly committing = new Map<string, number>()
  private readonly commit: Commit
  private readonly most: number
  private readonly mostOfServer: number
  private readonly serverOf: ServerOf
  /** A lane is about to take its batch. */
  private isTaking = false

  /**
   * At most `most` batches commit at a time, and of shared ones `mostOfServer` on each server. Organizations of one server share
   * batches; one without a known server commits alone.
   */
  constructor(commit: Commit, { most, mostOfServer }: LanesMax, serverOf: ServerOf) {
    this.commit = commit
    this.most = most
    this.mostOfServer = mostOfServer
    this.serverOf = serverOf
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
    if (this.isTaking || this.running.size >= this.most) return
    const lane = this.run().finally(() => this.running.delete(lane))
    this.running.add(lane)
  }

  private async run(): Promise<void> {
    for (;;) {
      this.isTaking = true
      // The requests that arrived in the same turn share the batch.
      await new Promise(setImmediate)
      this.isTaking = false
      const { server, queues, isMore } = this.next()
      const batch = this.take(queues)
      if (batch.length === 0) return
      const leave = this.occupy(server)
      if (isMore) this.start()
      await this.commit(batch, (organization) => this.release(organization))
      leave()
    }
  }

  private release(organization: string): void {
    this.taken.delete(organization)
    if (this.queues.has(organization)) this.start()
  }

  /** Counts a batch of the server until the returned function is called, or until it has taken long. */
  private occupy(server: string | null): () => void {
    if (server === null) return () => {}
    this.count(server, 1)
    let isCounted = true
    const leave = () => {
      clearTimeout(timer)
      if (isCounted) this.count(server, -1)
      isCounted = false
    }
    const timer = setTimeout(() => {
      leave()
      this.start()
    }, db_limits.slow_batch_ms)
    return leave
  }

  private count(server: string, change: number): void {
    const count = (this.committing.get(server) ?? 0) + change
    if (count === 0) this.committing.delete(server)
    else this.committing.set(server, count)
  }

  private take(queues: Next['queues']): Waiting[] {
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

  /**
   * The organizations that may share the next batch, those that wait longest first; or one that commits alone. What waits
   * for a server that commits as many as it may shares the next one.
   */
  private next(): Next {
    const shared = new Map<string, (readonly [string, Waiting[]])[]>()
    for (const entry of this.queues) {
      const [organization, [first]] = entry
      if (this.taken.has(organization) || first === undefined) continue
      const server = this.isSeparate(organization) ? null : this.serverOf(first.scope)
      if (server === null) {
        // Others wait longer.
        if (shared.size > 0) continue
        return { server, queues: [entry], isMore: true }
      }
      if ((this.committing.get(server) ?? 0) >= this.mostOfServer) continue
      const known = shared.get(server)
      if (known === undefined) shared.set(server, [entry])
      else known.push(entry)
    }
    const [next] = shared
    if (next === undefined) return { server: null, queues: [], isMore: false }
    return { server: next[0], queues: next[1], isMore: shared.size > 1 }
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
