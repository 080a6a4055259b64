/** The limits of the workers: deliveries, exports, sweeps, and the register. */
import { day_ms, MiB, minute_ms, second_ms } from '../lib/units.ts'

export const worker_limits = {
  // Webhook deliveries of one process (contract/11)

  /** Concurrent attempts to all endpoints. */
  webhook_attempts_max: 1000,
  /** Endpoints that one process serves at the same time: its lanes. */
  webhook_lanes_max: 500,
  /** After this number of failures without a success an endpoint gets one attempt at a time… */
  webhook_troubled_failures: 5,
  /** …and all such endpoints together get at most this number of lanes. */
  webhook_troubled_lanes_max: 250,
  /** Lease of an endpoint; longer than an attempt. */
  webhook_lease_ms: 30 * second_ms,
  webhook_renewal_ms: 5 * second_ms,
  /** Interval of checks for further deliveries to an endpoint with attempts in flight. */
  webhook_nudge_ms: second_ms,
  /** Due deliveries read at once, and finished ones that are not recorded yet. */
  webhook_due_batch_max: 50,
  webhook_unrecorded_max: 100,
  /** Finished attempts are recorded together at this interval… */
  webhook_record_ms: 10,
  /** …or when there is this number of them. */
  webhook_record_batch_max: 200,
  /** Attempts to record them while the store is unavailable, and the first wait between two. */
  webhook_record_tries_max: 4,
  webhook_record_pause_ms: second_ms,
  /** Realms that are fanned out at once, and deliveries created in one transaction. */
  fan_out_realms_max: 50,
  fan_out_deliveries_max: 2000,

  // Exports (contract/13)

  /** Rows read at once, and characters written at once. */
  export_page_rows: 500,
  export_chunk_chars: MiB,
  /** Lease of an export. */
  export_lease_ms: 15 * second_ms,
  /** Attempts before an export fails (contract/13#restarts). */
  export_tries_max: 3,

  // Sweeps

  /** Ended credit windows are kept for this time. */
  credit_window_kept_ms: 7 * day_ms,
  /** The id of a removed log entry answers 410 for this time. */
  request_log_tombstone_ms: 30 * day_ms,
  /** Sign-in links are kept for this time after they expire. */
  links_kept_ms: 30 * day_ms,
  /** Guests of links are kept for this time after their session: what they drew may not be published yet. */
  board_guest_kept_ms: day_ms,
  /** Rows that the scrub reads in a minute, in pages of the next number; of tables with large rows in smaller pages. */
  scrub_rows_max: 5000,
  scrub_page_rows: 200,
  scrub_large_rows: 4,

  // The index of texts

  /** Tasks or events that are indexed in one transaction: writes wait for it. */
  text_index_rows_max: 50,
  /** Realms that are looked for at once. */
  text_index_realms_max: 64,
  /** A PostgreSQL transaction of many realms indexes at most this many times as many, also of search. No write waits for it. */
  index_batch_factor: 8,
  /** A realm that failed such a transaction has its own for this time. */
  index_apart_ms: minute_ms,
  /** Duration of a run. */
  text_index_run_ms: 10 * second_ms,
  /** Share of a pause in which the process did other work, from which on it counts as busy… */
  index_busy: 0.5,
  /** …and the next batch waits this many times as long as the work of the last one took. Also of search. */
  index_busy_pauses: 64,

  // The register

  /** Delay of a worker's first run after the start. */
  worker_start_ms: second_ms,
  /** Longest wait of an idle worker that notifications wake, or whose due work another process looks for. */
  idle_wait_max_ms: 5 * second_ms,
  /** Lease of the process that looks for due work; renewed at `dead_leases_period_ms`. */
  scanner_lease_ms: 15 * second_ms,
  /** A woken worker waits this long for more work to arrive. */
  worker_wake_ms: 20,
  /** Interval at which a worker that runs in every process stores its status. */
  worker_report_ms: 5 * second_ms,
  /** Leases that are looked at for ended processes at a time, for each kind; the others expire. */
  dead_leases_max: 10_000,
  /** Interval between these looks: shorter than any lease. */
  dead_leases_period_ms: 5 * second_ms,
  /** On shutdown, time for work in flight; then connections are cut. */
  shutdown_grace_ms: 7 * second_ms,
} as const
