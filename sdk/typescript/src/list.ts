/**
 * Lists: `for await` walks all of one, page by page; `await` gets one page. Nothing is sent before one of the two is
 * asked for. Walking while others write meets every object that stood throughout exactly once.
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

export type CursorParameter = 'starting_after' | 'ending_before' | 'cursor'

/** Gets one page with these parameters. */
export type ReadPage<T> = (params: object) => Promise<{ data: ListEnvelope<T>; response: ResponseInfo }>

/** One page. */
export class Page<T> implements ListEnvelope<T> {
  readonly object = 'list'
  readonly url: string
  readonly has_more: boolean
  readonly next_cursor: string | null
  readonly data: T[]
  readonly #response: ResponseInfo
  readonly #next: (cursor: string) => Promise<Page<T>>

  constructor(envelope: ListEnvelope<T>, response: ResponseInfo, next: (cursor: string) => Promise<Page<T>>) {
    this.url = envelope.url
    this.has_more = envelope.has_more
    this.next_cursor = envelope.next_cursor
    this.data = envelope.data
    this.#response = response
    this.#next = next
  }

  /** What the answer said besides its body. */
  get response(): ResponseInfo {
    return this.#response
  }

  /** The page behind this one, in the direction walked; `null` when this is the last. */
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
      if (cursor === params[this.#cursor]) throw new AtriumError(`${data.url} gave the same cursor twice.`)
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

  /** Page by page. Without a `limit` of their own, pages are as long as they may be: they cost the same. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    const first = { ...this.#params, limit: this.#params.limit ?? limit_max }
    for (let page: Page<T> | null = await this.#page(first); page !== null; page = await page.nextPage()) yield page
  }

  /** Every object in the order walked: with `ending_before` upwards, from the nearest on. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* this.#backwards ? page.data.toReversed() : page.data
  }

  /** The first objects, at most `max` of them. */
  async toArray({ max }: { readonly max: number }): Promise<T[]> {
    const objects: T[] = []
    if (max <= 0) return objects
    for await (const object of this) if (objects.push(object) >= max) break
    return objects
  }
}
