/** Bounds of a conformance run: it ends, whatever the server does. */
export const conformLimits = {
  /** Requests per run. */
  requests_max: 40_000,
  /** Time for one request, from sending to the end of its answer. */
  request_ms: 60_000,
  /** Longest Retry-After that the run waits for; a longer one ends the run. */
  wait_seconds_max: 120,
  /** Repeats of one request after 429 or a temporary 503. */
  repeats_max: 5,
  /** Bytes read of an answer. */
  answer_bytes_max: 16 * 1024 * 1024,
  /** Pages walked per list. */
  pages_max: 4,
  /** Operations between two lines of progress. */
  progress_every: 25,
  /** Messages kept per rule and operation. */
  messages_max: 10,
  /** Characters of an answer that a message quotes. */
  quoted_chars_max: 200,
  /** Newest events that are searched for those of one write. */
  events_read_max: 100,
  /** Time for an automation run to begin. */
  run_wait_ms: 10_000,
  /** Pause between two reads of its status. */
  run_pause_ms: 250,
  /** Objects that a list should have before it is walked. */
  list_items_min: 3,
  /** Tolerated difference between the clocks of both machines. */
  clock_difference_seconds_max: 86_400,
} as const
