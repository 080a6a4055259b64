/**
 * Lists: `for await` reads a whole list page by page; `await` reads one page. Nothing is sent before. Objects that exist
 * during the whole walk appear exactly once, even while others write.
 */
import { AtriumError } from './errors.ts'
import type { ResponseInfo } from './response-info.ts'

/** The envelope of a page as the API sends it. */
export interface ListEnvelope<T> {
  object: 'list'
  url: string
  has_more: boolean
  next_cursor: string | null
  data: T[]
}

/** Fields of an envelope that only some lists have, such as `indexed_sequence` of a search. */
export type FurtherFields = Readonly<Record<string, unknown>>

export type CursorParameter = 'starting_after' | 'ending_before' | 'cursor'

/** Reads one page with these parameters. */
export type ReadPage<T> = (params: object) => Promise<{ data: ListEnvelope<T>; response: ResponseInfo }>

/** One page. */
export class Page<T> implements ListEnvelope<T> {
  readonly object = 'list'
  readonly url: string
  readonly has_more: boolean
  readonly next_cursor: string | null
  readonly data: T[]
  readonly more: FurtherFields
  readonly #response: ResponseInfo
  readonly #next: (cursor: string) => Promise<Page<T>>

  constructor(envelope: ListEnvelope<T>, response: ResponseInfo, next: (cursor: string) => Promise<Page<T>>) {
    this.url = envelope.url
    this.has_more = envelope.has_more
    this.next_cursor = envelope.next_cursor
    this.data = envelope.data
    const { object: _object, url: _url, has_more: _has_more, next_cursor: _cursor, data: _data, ...more } = envelope
    this.more = more
    this.#response = response
    this.#next = next
  }

  /** Metadata of the answer. */
  get response(): ResponseInfo {
    return this.#response
  }

  /** The next page in the direction of the walk; `null` on the last one. */
  async nextPage(): Promise<Page<T> | null> {
    return this.has_more && this.next_cursor !== null ? await this.#next(this.next_cursor) : null
  }
}

const limit_max = 100

export class List<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #read: ReadPage<T>
  readonly #params: Readonly<Record<string, unknown>>
  readonly #cursor: CursorParameter
  readonly #backwards: boolean

  constructor(read: ReadPage<T>, params: object, cursor: 'starting_after' | 'cursor') {
    this.#read = read
    this.#params = { ...params }
    this.#backwards = this.#params.ending_before !== undefined
    this.#cursor = this.#backwards ? 'ending_before' : cursor
  }

  async #page(params: Readonly<Record<string, unknown>>): Promise<Page<T>> {
    const { data, response } = await this.#read(params)
    return new Page(data, response, (cursor) => {
      if (cursor === params[this.#cursor]) throw new AtriumError(`${data.url} returned the same cursor twice.`)
      return this.#page({ ...params, [this.#cursor]: cursor })
    })
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a list gets its first page
  then<A = Page<T>, B = never>(
    fulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page(this.#params).then(fulfilled, rejected)
  }

  /** Page by page. Without a `limit`, pages have the maximum length, because every page costs the same. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    const first = { ...this.#params, limit: this.#params.limit ?? limit_max }
    for (let page: Page<T> | null = await this.#page(first); page !== null; page = await page.nextPage()) yield page
  }

  /** Every object in the order of the walk: with `ending_before` upwards, the nearest first. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* this.#backwards ? page.data.toReversed() : page.data
  }

  /** The first objects, at most `max` of them; by default all of the list, which are then in memory at once. */
  async toArray({ max = Number.POSITIVE_INFINITY }: { readonly max?: number } = {}): Promise<T[]> {
    const objects: T[] = []
    if (max <= 0) return objects
    for await (const object of this) if (objects.push(object) >= max) break
    return objects
  }
}
