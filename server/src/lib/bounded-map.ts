/**
 * A map that forgets what was not used lately, so that it can be a cache of anything a request names. Kept in two
 * generations of half the size each: what is used moves into the young one; when that is full, the old one is dropped
 * and the young one takes its place. That is nearly the order of use, at the price of a plain map.
 */
export class BoundedMap<K, V> {
  readonly #half: number
  #young = new Map<K, V>()
  #old = new Map<K, V>()

  /** Never holds more than `size_max` entries (2 at least, else RangeError), always the `size_max / 2` used last. */
  constructor(size_max: number) {
    if (!(size_max >= 2)) throw new RangeError('a bounded map holds 2 entries at least')
    this.#half = Math.floor(size_max / 2)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  /** The value of `key`, which counts as used now, or undefined. O(1). */
  get(key: K): V | undefined {
    const value = this.#young.get(key)
    if (value !== undefined || this.#young.has(key)) return value
    if (!this.#old.has(key)) return undefined
    const kept = this.#old.get(key) as V
    this.set(key, kept)
    return kept
  }

  /** Sets the value of `key`, which counts as used now; may forget entries that were not used for long. O(1). */
  set(key: K, value: V): void {
    this.#old.delete(key)
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  /** Forgets `key`; whether it was there. O(1). */
  delete(key: K): boolean {
    return this.#young.delete(key) || this.#old.delete(key)
  }

  /** Forgets everything. */
  clear(): void {
    this.#young = new Map()
    this.#old = new Map()
  }
}
