/** The limits of requests that the server sends. */
import { KiB, minute_ms, second_ms } from '../lib/units.ts'

export const egress_limits = {
  /** A URL that a user gives (contract/11#endpoint-url). */
  egress_url_chars_max: 2048,
  /** Looking a host up when a URL is checked. */
  egress_lookup_ms: 5 * second_ms,
  /** All headers of a response. */
  egress_header_bytes_max: 16 * KiB,
  /** An unreachable target fails after this time at the earliest, so that timing does not reveal the reason. */
  egress_unreachable_ms: second_ms,
  /** An idle connection is kept this long for the next request of its owner to the same host… */
  egress_kept_ms: 4 * second_ms,
  /** …unless the process has more open connections than this. */
  egress_kept_max: 2000,
  /** One query to a name server, and the number of queries. */
  dns_try_ms: 2 * second_ms,
  dns_tries_max: 2,

  // The AI provider

  /** One request in total, and connecting within it. */
  ai_request_ms: minute_ms,
  ai_connect_ms: 5 * second_ms,
  ai_response_bytes_max: 512 * KiB,
} as const
