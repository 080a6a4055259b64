/** An LRU cache of read answers for conditional requests. */
import { defaults } from './options.ts'

export interface KeptAnswer {
  readonly etag: string
  readonly text: string
}

export class AnswerCache {
  readonly #max: number
  readonly #kept = new Map<string, KeptAnswer>()

  constructor(max: number) {
    this.#max = max
  }

  get(url: string): KeptAnswer | undefined {
    const kept = this.#kept.get(url)
    if (kept === undefined) return undefined
    this.#kept.delete(url)
    this.#kept.set(url, kept)
    return kept
  }

  keep(url: string, etag: string | null, text: string): void {
    this.#kept.delete(url)
    if (etag === null || text.length > defaults.cached_characters_max) return
    this.#kept.set(url, { etag, text })
    if (this.#kept.size <= this.#max) return
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined) this.#kept.delete(oldest)
  }
}
