/** The 60-second cache of `GET /v1/tasks/count`, separate for each realm (contract/06#task-count). */
import { BoundedMap } from '../../lib/bounded-map.ts'
import { limits } from '../limits.ts'

export interface TaskCount {
  readonly count: number
  readonly computedAt: number
  readonly expiresAt: number
}

export class TaskCounts {
  private readonly kept = new BoundedMap<string, TaskCount>(limits.task_counts_max)

  /** The cached count, unless it is older than 60 s at `now` (milliseconds). */
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
