/** Options of the client and of a single call. Every wait has a limit here. */
import type { AtriumError } from './errors.ts'

export interface AtriumOptions {
  /**
   * An API key or an access token, or a function that is called before each request, for tokens that are renewed. `null`
   * sends none, for a `fetch` that authenticates by itself.
   */
  apiKey: string | null | (() => string | null | Promise<string | null>)
  /** Base URL of the server: `https://atrium.example.com`. A `/v1` at its end is ignored. `http://127.0.0.1:4010` by default. */
  baseUrl?: string | undefined
  /** API version to use, a date. By default the version that the types of this SDK describe. */
  version?: string | undefined
  /** Timeout of one attempt in milliseconds, body included. 60,000 by default. */
  timeout?: number | undefined
  /** Most retries of a request that is safe to retry. 4 by default. */
  maxRetries?: number | undefined
  /** Longest `Retry-After` to wait for, in seconds. 60 by default; a longer one rejects at once. */
  maxRetryAfter?: number | undefined
  /**
   * Number of read answers to keep for conditional requests: unchanged objects are not sent again and cost no credits.
   * 0 by default.
   */
  cache?: number | undefined
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** Additional headers of every request. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Called after each failed attempt that will be retried. */
  onRetry?: ((retry: Retry) => void) | undefined
  /** Replaces waiting, for tests with their own clock. Must reject when the signal aborts. */
  sleep?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined
}

/** A failed attempt. */
export interface Retry {
  error: AtriumError
  method: string
  path: string
  /** Number of the attempt, from 1. */
  attempt: number
  /** Milliseconds until the next attempt. */
  wait: number
}

export interface RequestOptions {
  /** Aborts the call, including its waits; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Overrides the client's option. */
  timeout?: number | undefined
  /** Overrides the client's option. */
  maxRetries?: number | undefined
}

export interface WriteOptions extends RequestOptions {
  /**
   * The key of this write. Within 24 hours the same key with the same input repeats the first answer, even after a crash of
   * your program. By default each call gets its own key, which all its attempts share.
   */
  idempotencyKey?: string | undefined
}

/** An object that has a revision, the revision itself, or an ETag. */
export type Revision = { readonly revision: number } | number | string

export interface RevisionOptions extends WriteOptions {
  /**
   * Performs the write only if the object has this revision: `{ ifMatch: task }`. Otherwise it is refused with
   * `resource_conflict`.
   */
  ifMatch?: Revision | undefined
}

export interface StreamOptions {
  /** Id of the last handled event: the stream resumes after it. Without it the stream starts with the next event. */
  lastEventId?: string | undefined
  /** Aborts the stream; its iteration rejects with the signal's reason. `stream.close()` ends it without an error. */
  signal?: AbortSignal | undefined
  /** Milliseconds without data after which the connection counts as dead. 45,000 by default: the server sends every 15 s. */
  heartbeatTimeout?: number | undefined
  /** Most failed reconnects in a row. Unlimited by default. */
  maxReconnects?: number | undefined
}

/** For operations without parameters: `{}`. */
export type NoParams = Record<string, never>

export const defaults = {
  timeout_ms: 60_000,
  retries_max: 4,
  retry_after_seconds_max: 60,
  back_off_ms: 500,
  back_off_ms_max: 30_000,
  heartbeat_ms: 45_000,
  /** Longer answers are not cached. */
  cached_characters_max: 262_144,
  /** One frame of a stream. */
  frame_characters_max: 16_777_216,
  /** Signatures of a delivery that are checked. */
  signatures_max: 16,
  /** Maximum distance of a signature's time from now, in seconds. */
  tolerance_seconds: 300,
} as const

/** The `If-Match` header for a revision. */
export function ifMatchHeader(revision: Revision): string {
  if (typeof revision === 'string') return revision
  return `"${typeof revision === 'number' ? revision : revision.revision}"`
}
