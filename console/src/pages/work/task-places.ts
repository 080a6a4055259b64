/**
 * What is known of a long list: behind which cursor each of its pages begins and how many rows it has. Pages that were not
 * read count as full ones, so that the place of any row is found by arithmetic.
 */

/** Rows of a page, as the API gives them at most. */
export const page_tasks = 100
/** A list is shown so far: browsers draw nothing higher than some millions of pixels. */
const rows_max = 400_000

interface ReadPage {
  readonly data: readonly unknown[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}

export class Places {
  /** Which reading of the list this is: a later one has pages of its own. */
  readonly reading: number
  readonly #cursors = new Map<number, string | undefined>([[0, undefined]])
  /** Pages that have more or fewer rows than a full one. */
  readonly #odd = new Map<number, number>()
  /** The number of pages, once the last has been read. */
  #pages: number | null = null
  #counted = 0

  constructor(reading = 0) {
    this.reading = reading
  }

  /** Whether a page can be read. */
  has(page: number): boolean {
    return this.#cursors.has(page)
  }

  cursor(page: number): string | undefined {
    return this.#cursors.get(page)
  }

  /** The nearest page at or before this one that can be read. */
  nearest(page: number): number {
    for (let at = page; at > 0; at--) if (this.has(at)) return at
    return 0
  }

  /** Takes over what a page says of itself and the next. */
  learn(page: number, { data, has_more, next_cursor }: ReadPage): void {
    this.resize(page, data.length)
    if (has_more && next_cursor !== null) {
      this.#cursors.set(page + 1, next_cursor)
      if (this.#pages === page + 1) this.#pages = null
    } else {
      this.#pages = page + 1
    }
  }

  /** Takes over the cursors of all pages but the first; what pages themselves said counts for more. */
  learnAll(cursors: readonly string[]): void {
    for (const [at, cursor] of cursors.entries()) if (!this.has(at + 1)) this.#cursors.set(at + 1, cursor)
  }

  /** How many rows the list has, as they were counted. */
  count(rows: number): void {
    this.#counted = rows
  }

  /** How many rows of a page there are to be shown. */
  resize(page: number, rows: number): void {
    if (rows === page_tasks) this.#odd.delete(page)
    else this.#odd.set(page, rows)
  }

  /** Whether the end is known, so that `rows` is exact. */
  get isWhole(): boolean {
    return this.#pages !== null
  }

  get rows(): number {
    const known = this.start(this.#pages ?? Math.max(...this.#cursors.keys()) + 1)
    return Math.min(rows_max, this.#pages === null ? Math.max(known, this.#counted) : known)
  }

  /** The first row of a page. */
  start(page: number): number {
    let row = page * page_tasks
    for (const [odd, rows] of this.#odd) if (odd < page) row += rows - page_tasks
    return row
  }

  /** The page that a row is on. */
  pageOf(row: number): number {
    let page = Math.max(0, Math.floor(row / page_tasks))
    while (page > 0 && this.start(page) > row) page--
    while (this.start(page + 1) <= row && (this.#pages === null || page + 1 < this.#pages)) page++
    return page
  }
}
