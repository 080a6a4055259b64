/**
 * A map of bounded size, for caches keyed by what requests name. It has two generations of half the size each: an entry
 * in use moves into the young one; when that is full, the old one is dropped and the young one replaces it. This
 * approximates least-recently-used order at the cost of a plain map.
 */
export class BoundedMap<K, V> {
  readonly #half: number
  #young = new Map<K, V>()
  #old = new Map<K, V>()

  /** Holds at most `size_max` entries (at least 2, else RangeError), and always the `size_max / 2` used last. */
  constructor(size_max: number) {
    if (!(size_max >= 2)) throw new RangeError('a bounded map holds at least 2 entries')
    this.#half = Math.floor(size_max / 2)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  /** The value of `key`, or undefined. Counts as a use. O(1). */
  get(key: K): V | undefined {
    const value = this.#young.get(key)
    if (value !== undefined || this.#young.has(key)) return value
    if (!this.#old.has(key)) return undefined
    const kept = this.#old.get(key) as V
    this.set(key, kept)
    return kept
  }

  /** Sets the value of `key`. Counts as a use; may drop entries that were not used recently. O(1). */
  set(key: K, value: V): void {
    this.#old.delete(key)
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  /** Removes `key`. True if it was there. O(1). */
  delete(key: K): boolean {
    return this.#young.delete(key) || this.#old.delete(key)
  }

  /** Removes all entries. */
  clear(): void {
    this.#young = new Map()
    this.#old = new Map()
  }
}
