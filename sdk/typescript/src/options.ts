/** What can be set: of the client, and of a single call. Every wait has a limit here. */
import type { AtriumError } from './errors.ts'

export interface AtriumOptions {
  /**
   * An API key or an access token; a function is asked before each request, for tokens that are renewed. `null` sends
   * none, for a `fetch` that authenticates by itself.
   */
  apiKey: string | null | (() => string | null | Promise<string | null>)
  /** Where Atrium is served, without `/v1`: `https://atrium.example.com`. `http://127.0.0.1:4010` by default. */
  baseUrl?: string | undefined
  /** The version of the API to speak, a date. By default the one that the types of this SDK describe. */
  version?: string | undefined
  /** Milliseconds that one attempt may take, its body included. 60,000 by default. */
  timeout?: number | undefined
  /** How often a request is sent again where that is safe. 4 by default; 0 never. */
  maxRetries?: number | undefined
  /** The longest `Retry-After` that is waited for, in seconds. 60 by default; a longer one rejects at once. */
  maxRetryAfter?: number | undefined
  /**
   * How many answers of reads are kept to be asked for conditionally: what has not changed is not sent again and costs no
   * credits. 0 by default.
   */
  cache?: number | undefined
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** Headers of every request besides the SDK's own. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Is told of each attempt that failed and will be made again. */
  onRetry?: ((retry: Retry) => void) | undefined
  /** How waits are waited: for tests that move their own clock. Rejects when the signal aborts. */
  sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined
}

/** An attempt that failed. */
export interface Retry {
  error: AtriumError
  method: string
  path: string
  /** Which attempt it was, from 1. */
  attempt: number
  /** Milliseconds until the next. */
  wait: number
}

export interface RequestOptions {
  /** Ends the call, its waits included; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Instead of the client's. */
  timeout?: number | undefined
  /** Instead of the client's. */
  maxRetries?: number | undefined
}

export interface WriteOptions extends RequestOptions {
  /**
   * The name of this write. The same key with the same input within 24 hours gets the first answer again, whoever crashed
   * meanwhile. By default each call gets a key of its own, which all its attempts carry.
   */
  idempotencyKey?: string | undefined
}

/** An object that has a revision, the revision itself, or an ETag. */
export type Revision = { readonly revision: number } | number | string

export interface RevisionOptions extends WriteOptions {
  /**
   * Carries the write out only if the object still has this revision: `{ ifMatch: task }`. Else it is refused with
   * `resource_conflict`.
   */
  ifMatch?: Revision | undefined
}

export interface StreamOptions {
  /** The last event that was handled: the stream goes on behind it. Without it the stream begins when it is opened. */
  lastEventId?: string | undefined
  /** Ends the stream; its iteration rejects with the signal's reason. `stream.close()` ends it in good order. */
  signal?: AbortSignal | undefined
  /** Milliseconds without a byte after which the connection is taken for dead. 45,000 by default: the server sends every 15 s. */
  heartbeatTimeout?: number | undefined
  /** How often in a row a stream that was open may fail to open again. Without limit by default. */
  maxReconnects?: number | undefined
}

/** Operations that take no parameters: `{}`. */
export type NoParams = Record<string, never>

export const defaults = {
  timeout_ms: 60_000,
  retries_max: 4,
  retry_after_seconds_max: 60,
  back_off_ms: 500,
  back_off_ms_max: 30_000,
  heartbeat_ms: 45_000,
  /** Answers longer than this are not kept. */
  cached_characters_max: 262_144,
  /** One frame of a stream. */
  frame_characters_max: 16_777_216,
  /** Signatures of a delivery that are looked at. */
  signatures_max: 16,
  /** Seconds that a delivery's signature may be old, or lie ahead. */
  tolerance_seconds: 300,
} as const

/** `If-Match` of what a caller has. */
export function ifMatchHeader(revision: Revision): string {
  if (typeof revision === 'string') return revision
  return `"${typeof revision === 'number' ? revision : revision.revision}"`
}
