/** Bounds of a conformance run: it must end, whatever the server does. */
export const conformLimits = {
  /** Requests of one run. */
  requests_max: 20_000,
  /** One request, from sending to the end of its answer, in milliseconds. */
  request_ms: 60_000,
  /** Longest single wait that a 429 or 503 is obeyed for, in seconds; a longer one ends the run. */
  wait_seconds_max: 120,
  /** How often one request is repeated after a 429 or a temporary 503. */
  repeats_max: 5,
  /** Of an answer, in bytes. */
  answer_bytes_max: 16 * 1024 * 1024,
  /** Pages walked of a list. */
  pages_max: 4,
  /** Operations between two lines that say how far the run is. */
  progress_every: 25,
  /** Messages kept for one rule and operation. */
  messages_max: 10,
  /** Characters of an answer that a message quotes. */
  quoted_chars_max: 200,
  /** Events read to find those of one write. */
  events_read_max: 100,
  /** How long an automation run is waited for, and between two looks, in milliseconds. */
  run_wait_ms: 10_000,
  run_pause_ms: 250,
  /** Objects that a list should have before it is walked. */
  list_items_min: 3,
  /** Differences tolerated between the clocks of both machines, in seconds. */
  clock_difference_seconds_max: 86_400,
} as const
