/**
 * The pages of a long list: the cursor of each page and how many rows it has. Unread pages count as full, so that the page
 * of any row can be computed.
 */

/** Rows of a full page, the API's limit. */
export const page_tasks = 100
/** Longer lists are cut off here: browsers limit the height of elements to some millions of pixels. */
const rows_max = 400_000

interface ReadPage {
  readonly data: readonly unknown[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}

export class PageIndex {
  /** Numbers the readings of a list. Pages of different readings are not mixed. */
  readonly reading: number
  readonly #cursors = new Map<number, string | undefined>([[0, undefined]])
  /** The rows of pages that are not full. */
  readonly #partial = new Map<number, number>()
  /** The number of pages, once the last page is read. */
  #pages: number | null = null
  #counted = 0

  constructor(reading = 0) {
    this.reading = reading
  }

  /** Whether the cursor of a page is known, so that it can be read. */
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

  /** Adds a page that was read, and with it the cursor of the next. */
  addPage(page: number, { data, has_more, next_cursor }: ReadPage): void {
    this.setRows(page, data.length)
    if (has_more && next_cursor !== null) {
      this.#cursors.set(page + 1, next_cursor)
      if (this.#pages === page + 1) this.#pages = null
    } else {
      this.#pages = page + 1
    }
  }

  /** Adds the cursors of all pages from the second on. Cursors of pages that were read take precedence. */
  addCursors(cursors: readonly string[]): void {
    for (const [at, cursor] of cursors.entries()) if (!this.has(at + 1)) this.#cursors.set(at + 1, cursor)
  }

  /** Sets the number of rows of the list as the server counted them. */
  setCount(rows: number): void {
    this.#counted = rows
  }

  /** Sets how many rows of a page are shown. */
  setRows(page: number, rows: number): void {
    if (rows === page_tasks) this.#partial.delete(page)
    else this.#partial.set(page, rows)
  }

  /** Whether the last page was read, so that `rows` is exact. */
  get isComplete(): boolean {
    return this.#pages !== null
  }

  get rows(): number {
    const known = this.firstRow(this.#pages ?? Math.max(...this.#cursors.keys()) + 1)
    return Math.min(rows_max, this.#pages === null ? Math.max(known, this.#counted) : known)
  }

  /** The first row of a page. */
  firstRow(page: number): number {
    let row = page * page_tasks
    for (const [partial, rows] of this.#partial) if (partial < page) row += rows - page_tasks
    return row
  }

  /** The page of a row. */
  pageOf(row: number): number {
    let page = Math.max(0, Math.floor(row / page_tasks))
    while (page > 0 && this.firstRow(page) > row) page--
    while (this.firstRow(page + 1) <= row && (this.#pages === null || page + 1 < this.#pages)) page++
    return page
  }
}
