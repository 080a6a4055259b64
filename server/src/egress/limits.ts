/** The limits of requests that the server sends. */
import { hour_ms, KiB, minute_ms, second_ms } from '../lib/units.ts'

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

  // OpenID providers

  /** One request in total, and connecting within it. */
  openid_request_ms: 10 * second_ms,
  openid_connect_ms: 5 * second_ms,
  openid_response_bytes_max: 256 * KiB,
  /** How long a provider's metadata is used before it is read again. The library keeps keys for five minutes. */
  openid_metadata_ms: hour_ms,
  /** A subject (OpenID Connect Core §2), and a value of the claim of roles. */
  openid_subject_chars_max: 255,
  openid_claim_values_max: 1000,
  /** A required authentication may be this old for the library; the caller compares it with the start of the sign-in. */
  openid_authentication_seconds_max: 600,

  // Push services

  /** One notice in total, and connecting within it. */
  push_request_ms: 15 * second_ms,
  push_connect_ms: 5 * second_ms,
  /** How long a push service keeps a notice for a browser that is not running. */
  push_kept_seconds: 24 * 3600,

  // The AI provider

  /** One request in total, and connecting within it. */
  ai_request_ms: minute_ms,
  ai_connect_ms: 5 * second_ms,
  ai_response_bytes_max: 512 * KiB,
} as const
