/**
 * Sends calls and reads answers. A call is one or several attempts; all attempts of a write share a key, so only one takes
 * effect. Only the header `Authorization` contains the credential.
 */
import { AnswerCache } from './answer-cache.ts'
import { Call, type WithResponse } from './call.ts'
import { Deadline } from './deadline.ts'
import { AtriumError, apiError, type ErrorEnvelope, UnexpectedAnswerError } from './errors.ts'
import { api_version, base_url } from './generated/version.ts'
import { List, type ListEnvelope } from './list.ts'
import { type AtriumOptions, defaults, ifMatchHeader, type RevisionOptions, type StreamOptions } from './options.ts'
import { type Outgoing, payload, target, type UploadContent } from './request.ts'
import { responseInfo } from './response-info.ts'
import { type RetryPolicy, retrying, sleep } from './retry.ts'
import { sdk_version } from './sdk-version.ts'
import { EventStream } from './stream.ts'

export class Transport {
  readonly #options: AtriumOptions
  readonly #base: string
  readonly #cache: AnswerCache | null

  constructor(options: AtriumOptions) {
    this.#options = options
    this.#base = new URL(options.baseUrl ?? base_url).href.replace(/\/+$/, '').replace(/\/v1$/, '')
    this.#cache = options.cache ? new AnswerCache(options.cache) : null
  }

  /** One request and its answer. */
  call<T>(outgoing: Outgoing, options: RevisionOptions = {}): Call<T> {
    return new Call(this.#answered<T>(outgoing, options))
  }

  /** A list that has not been read yet. */
  list<T>(outgoing: Outgoing, cursor: 'starting_after' | 'cursor', options: RevisionOptions = {}): List<T> {
    const read = (params: object) => this.#answered<ListEnvelope<T>>({ ...outgoing, params }, options)
    return new List(read, outgoing.params ?? {}, cursor)
  }

  /** A stream of the events of the list `log`, not opened yet. */
  stream<E extends { id: string; type: string }>(
    outgoing: Outgoing,
    log: string,
    options: StreamOptions = {},
  ): EventStream<E> {
    return new EventStream<E>(this, outgoing, log, options)
  }

  async #answered<T>(outgoing: Outgoing, options: RevisionOptions): Promise<WithResponse<T>> {
    const sent = payload(outgoing)
    const headers: Record<string, string> = { accept: 'application/json' }
    if (sent !== undefined) headers['content-type'] = sent.type
    if (options.ifMatch !== undefined) headers['if-match'] = ifMatchHeader(options.ifMatch)
    if (outgoing.method !== 'GET') headers['idempotency-key'] = options.idempotencyKey ?? crypto.randomUUID()
    const url = this.#base + target(outgoing)
    const cache = outgoing.method === 'GET' ? this.#cache : null
    const attemptOnce = async (attempt: number): Promise<WithResponse<T>> => {
      const deadline = this.#deadline(options)
      try {
        const kept = cache?.get(url)
        const conditional = kept === undefined ? headers : { ...headers, 'if-none-match': kept.etag }
        const response = await this.#fetch(url, outgoing.method, conditional, sent?.body, deadline)
        const body = kept !== undefined && response.status === 304 ? kept.text : await response.text()
        const answer = readAnswer<T>(response, body, attempt)
        cache?.keep(url, answer.response.etag, body)
        return answer
      } catch (error) {
        throw deadline.explain(error)
      } finally {
        deadline.done()
      }
    }
    const isReadOnce = sent?.body instanceof ReadableStream
    return await retrying(attemptOnce, this.policy(outgoing, isReadOnce ? { ...options, maxRetries: 0 } : options))
  }

  /** Opens a stream, in one attempt. The deadline also applies to reading from it. */
  async connect(
    outgoing: Outgoing,
    lastEventId: string | null,
    deadline: Deadline,
    attempt: number,
  ): Promise<Response> {
    const headers: Record<string, string> = { accept: 'text/event-stream' }
    if (lastEventId !== null) headers['last-event-id'] = lastEventId
    const response = await this.#fetch(this.#base + target(outgoing), outgoing.method, headers, undefined, deadline)
    if (response.ok && response.headers.get('content-type')?.startsWith('text/event-stream')) return response
    const text = await response.text()
    readAnswer(response, text, attempt)
    throw new UnexpectedAnswerError(text, responseInfo(response, attempt))
  }

  policy(outgoing: Outgoing, options: Pick<RevisionOptions, 'maxRetries' | 'signal'>): RetryPolicy {
    const { maxRetries, maxRetryAfter, onRetry, sleep: wait = sleep } = this.#options
    const { method, path } = outgoing
    return {
      retries: options.maxRetries ?? maxRetries ?? defaults.retries_max,
      retry_after_max: maxRetryAfter ?? defaults.retry_after_seconds_max,
      signal: options.signal,
      sleep: wait,
      onRetry: (error, attempt, wait) => onRetry?.({ error, method, path, attempt, wait }),
    }
  }

  #deadline({ timeout, signal }: RevisionOptions): Deadline {
    return new Deadline(timeout ?? this.#options.timeout ?? defaults.timeout_ms, signal)
  }

  async #fetch(
    url: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    body: UploadContent | undefined,
    deadline: Deadline,
  ): Promise<Response> {
    const { version = api_version, fetch = globalThis.fetch } = this.#options
    const sent = new Headers(this.#options.headers)
    if (!('document' in globalThis)) sent.set('user-agent', `atrium-sdk-typescript/${sdk_version}`)
    for (const [name, value] of Object.entries(headers)) sent.set(name, value)
    sent.set('service-version', version)
    const key = await this.#key()
    if (key !== null) sent.set('authorization', `Bearer ${key}`)
    const { signal } = deadline
    signal.throwIfAborted()
    return await fetch(url, {
      method,
      headers: sent,
      signal,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
      // A stream is sent while it is read; the answer comes after all of it.
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    })
  }

  /** Checked here, because the platform's own error about an invalid header would reveal the credential. */
  async #key(): Promise<string | null> {
    const { apiKey } = this.#options
    const key = typeof apiKey === 'function' ? await apiKey() : apiKey
    if (key === null || (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key))) return key
    throw new AtriumError('apiKey must be a string of visible ASCII characters, or null to send none.')
  }
}

function readAnswer<T>(response: Response, text: string, attempts: number): WithResponse<T> {
  const info = responseInfo(response, attempts)
  const said = parsed(text)
  if ((response.ok || response.status === 304) && typeof said === 'object' && said !== null) {
    return { data: said as T, response: info }
  }
  if (isEnvelope(said)) throw apiError(said, info)
  throw new UnexpectedAnswerError(text, info)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isEnvelope(said: unknown): said is ErrorEnvelope {
  const { error } = (said ?? {}) as { error?: Partial<ErrorEnvelope['error']> }
  return typeof error?.code === 'string' && typeof error.type === 'string' && typeof error.message === 'string'
}
