/** The limits of connections and of request bodies that are not read. `docs/hosting.md` lists those of connections. */
import { hour_ms, KiB, MiB, minute_ms, second_ms } from '../lib/units.ts'

export const http_limits = {
  /** Open connections of a process. A new one over the limit is closed at once. */
  connections_max: 4096,
  /** Interval of the search for requests that are out of time. */
  expiry_check_ms: second_ms,
  /** An unread body up to this size is read to its end, so that the connection can be reused. */
  body_bytes_drain_max: 64 * KiB,
  /** Of a larger body this much is discarded after the reply, so that closing the connection does not lose the reply… */
  body_bytes_linger_max: 16 * MiB,
  /** …for at most this time. */
  body_linger_ms: 5 * second_ms,
  /** Time for a whole request to arrive, except for an upload… */
  request_ms: minute_ms,
  /** …which may take this long, if pieces of it arrive at intervals no longer than the next. */
  upload_ms: hour_ms,
  piece_ms: 30 * second_ms,
  /** Time for a request's headers to arrive. */
  request_headers_ms: 20 * second_ms,
  /** Time that an idle connection stays open. */
  keep_alive_ms: 72 * second_ms,
  /** Bodies from this size on are compressed for clients that accept it. */
  compressed_bytes_min: KiB,
  /** Codings read from `Accept-Encoding`; more are ignored. */
  accepted_codings_max: 20,
  /** A report of a violated content security policy. */
  csp_report_bytes_max: 16 * KiB,
} as const

export type HttpLimits = Readonly<Record<keyof typeof http_limits, number>>
