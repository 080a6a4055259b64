/** A running call: a promise of its answer, and on request of its metadata. */
import type { ResponseInfo } from './response-info.ts'

export interface WithResponse<T> {
  data: T
  response: ResponseInfo
}

/** `await` it for the answer, or `await call.withResponse()` for status, cost, rate limits and headers too. */
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call'
  readonly #answer: Promise<WithResponse<T>>

  constructor(answer: Promise<WithResponse<T>>) {
    this.#answer = answer
  }

  withResponse(): Promise<WithResponse<T>> {
    return this.#answer
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<A = T, B = never>(
    fulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(fulfilled, rejected)
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(null, rejected)
  }

  finally(settled?: (() => void) | null): Promise<T> {
    return this.then().finally(settled)
  }
}
