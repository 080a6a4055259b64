/** The limits of running automations; part of `limits`. */

const second_ms = 1000
const minute_ms = 60 * second_ms

const KiB = 1024

export const automation_run_limits = {
  // The worker

  /** Programs of activated versions that a process keeps. */
  automation_programs_max: 500,
  /** Runs that one process has in hand at once: as many steps may share a commit. */
  automation_runs_held_max: 32,
  /** Of these so many may wait for an answer from outside; such runs take no room from others. */
  automation_calls_max: 64,
  /** How long a process may be silent before another takes its runs over; every step renews it. */
  automation_lease_ms: 15 * second_ms,
  /** How often the leases of runs that wait for an answer are renewed. */
  automation_renewal_ms: 5 * second_ms,
  /** A step whose commit the store could not promise is tried again for so long. */
  automation_store_patience_ms: 10 * second_ms,
  /** First pause before that. */
  automation_store_pause_ms: 50,

  // What is kept

  /** A value in what a step changed: longer ones are cut. */
  automation_change_chars_max: 2000,
  /** A message of a failure. */
  automation_failure_chars_max: 500,

  // Calls to the outside

  /** An http.request whose node sets no time. */
  automation_http_ms: 10 * second_ms,
  /** Connecting within it. */
  automation_connect_ms: 5 * second_ms,
  /** Body of a request. */
  automation_request_bytes_max: 256 * KiB,
  /** Body of an answer that is kept as output. */
  automation_response_bytes_max: 256 * KiB,
  /** One request to a provider of AI. */
  ai_request_ms: minute_ms,
  /** Its answer. */
  ai_response_bytes_max: 512 * KiB,
  /** Instructions and input of one request together, in UTF-8. */
  ai_prompt_bytes_max: 128 * KiB,
  /** What surrounds the words of a prompt, in tokens, at most. */
  ai_prompt_overhead_tokens: 200,
  /** Values inside of each other in an output_schema, and in what it is held against. */
  ai_schema_depth_max: 16,
  /** A sealed secret of http.request. */
  automation_secret_chars_max: 4096,
  /** Secrets of a realm. */
  automation_secrets_max: 200,

  // Previews

  /** A rehearsal holds the organization's writes up: what it has not reached by then stays unknown. */
  automation_preview_ms: 500,
} as const
