/** The 60-second memory of `GET /v1/tasks/count`, kept apart for each realm (contract §8). */
import { BoundedMap } from '../lib/bounded-map.ts'
import { limits } from '../lib/limits.ts'

export interface TaskCount {
  readonly count: number
  readonly computedAt: number
  readonly expiresAt: number
}

export class TaskCounts {
  private readonly kept = new BoundedMap<string, TaskCount>(limits.task_counts_max)

  /** The count of this question in this realm, unless it is older than 60 s at `now` (milliseconds). */
  get(realm: number, question: string, now: number): TaskCount | undefined {
    const found = this.kept.get(`${realm} ${question}`)
    return found !== undefined && now < found.expiresAt && now >= found.computedAt ? found : undefined
  }

  keep(realm: number, question: string, count: number, now: number): TaskCount {
    const entry = { count, computedAt: now, expiresAt: now + limits.task_count_cache_ms }
    this.kept.set(`${realm} ${question}`, entry)
    return entry
  }
}
