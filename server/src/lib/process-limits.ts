/** The limits that are about a process and its storage and not about the contract; part of `limits`. */

const second_ms = 1000
const minute_ms = 60 * second_ms
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms

const KiB = 1024
const MiB = 1024 * KiB

export const process_limits = {
  // Requests on the wire

  /** An unread body up to this size is read to its end, so that the connection can be used again. */
  body_bytes_drain_max: 64 * KiB,
  /** Of a larger one so much is read and thrown away behind its answer, so that the answer is not lost with the connection… */
  body_bytes_linger_max: 16 * MiB,
  /** …for so long at most. */
  body_linger_ms: 5 * second_ms,
  /** Faults listed in one answer. */
  faults_max: 100,
  /** Errors of the schema compiler that faults are made of; several may be one fault. */
  schema_errors_max: 1000,
  /** A request must have arrived whole. */
  request_ms: minute_ms,
  /** A request's headers must have arrived. */
  request_headers_ms: 20 * second_ms,
  /** An idle connection is kept. */
  keep_alive_ms: 72 * second_ms,

  // What a process holds in memory

  /** Credentials believed for a second. */
  credentials_kept_max: 10_000,
  /** Last uses of credentials are written together this often. */
  credential_uses_ms: 5 * second_ms,
  /** A process takes at most so many credits at once from a window… */
  credits_block_max: 10_000,
  /** …and at most one part in so many of what is left. */
  credits_block_share: 16,
  /** Credits in hand and untouched for so long are given back. */
  credits_idle_ms: 2 * second_ms,
  /** The same where several processes share a database. */
  credits_idle_shared_ms: 40,
  /** A window untouched for so long is forgotten. */
  credits_forget_ms: 10 * minute_ms,
  /** Ended credit windows stay in the database. */
  credit_window_kept_ms: 7 * day_ms,
  /** A request younger than this may be logged by another process and not be written yet… */
  request_log_fresh_ms: 2 * second_ms,
  /** …so it is looked for again for so long… */
  request_log_wait_ms: 500,
  /** …this often. */
  request_log_pause_ms: 50,
  /** How long the id of a removed log entry still answers 410. */
  request_log_tombstone_ms: 30 * day_ms,
  /** Log entries are written together this often… */
  request_log_flush_ms: 200,
  /** …or as soon as there are so many full rows of them. */
  request_log_flush_batches: 16,
  /** Log entries written in one transaction: each is a wait for the disk, and a row holds fewer. */
  request_log_commit_max: 5000,
  /** Log entries in one row. */
  request_log_batch_max: 1000,
  /** A row that has so many bytes takes no more. Longer texts would be collected with the old generation. */
  request_log_batch_bytes: 60 * KiB,
  /** Memory of so many rows is kept for the next. */
  request_log_spare_max: 32,
  /** Entries whose ids are further apart in time do not share a row. */
  request_log_span_ms: second_ms,
  /** Log entries that wait to be written; beyond it the oldest are dropped. */
  request_log_waiting_max: 100_000,
  logged_path_chars_max: 1000,
  /** Event ids in one log entry. */
  logged_events_max: 100,
  /** Task counts kept. */
  task_counts_max: 10_000,

  // Storage

  /** Audit entries read at once where the whole chain is verified. */
  audit_batch_max: 1000,
  /** Waiting for a connection or a lock. */
  database_wait_ms: 5 * second_ms,
  /** One statement. */
  statement_ms: 30 * second_ms,
  /** So few tasks of an index are read all, and sorted, rather than many passed over along an order. */
  list_few_max: 2000,
  /** Conditions of one list that are looked at for it. */
  list_narrowings_max: 6,
  /** Where SQLite passes over many tasks, requests are served after so many of them at first… */
  list_slice_min: 100,
  /** …and at most, so that a slice takes about so long… */
  list_slice_max: 10_000,
  list_slice_ms: 8,
  /** Prepared statements a connection. */
  prepared_statements_max: 2000,
  /** Writes that wait for their turn; one more is refused. */
  waiting_writes_max: 10_000,
  /** Dry runs that wait for theirs: in all on SQLite, of an organization on PostgreSQL. */
  waiting_rehearsals_max: 1000,
  /** How long a commit waits for more writes while requests keep coming in… */
  batch_gather_ms: 3,
  /** …and while writes are among them. */
  batch_gather_writes_ms: 10,
  /** Pages in SQLite's write-ahead log with which a checkpoint begins… */
  checkpoint_frames: 16_000,
  /** …and so many, written meanwhile, for which its last pass lets writers wait… */
  checkpoint_last_frames: 500,
  /** …which is the last one at the latest. */
  checkpoint_passes_max: 5,
  /** Pages in the write-ahead log of SQLite's request log with which its thread checkpoints. */
  request_log_wal_pages: 2000,
  /** Writes that share a commit. */
  batch_writes_max: 256,
  /** Look-ups by key whose rows a PostgreSQL transaction keeps for its jobs. */
  kept_lookups_max: 5000,
  /** Look-ups by key in one statement. */
  joined_lookups_max: 256,
  /** Rows that a PostgreSQL transaction holds back to insert them together, as text, a table. */
  held_write_chars_max: MiB,
  /** PostgreSQL connections that write, and that read. */
  write_connections: 8,
  read_connections: 4,
  /** A transaction that collided or lost its connection is tried again for so long. */
  transaction_retries_ms: 2 * second_ms,
  /** First pause before a transaction that collided or lost its connection is tried again; it doubles. */
  transaction_pause_ms: 20,
  /** Such a transaction is tried whole so often, then each of its jobs alone. */
  transaction_attempts_max: 3,
  /** A read whose connection was lost is tried so often. */
  read_attempts_max: 3,
  /** Longest pause before a lock on the SQLite file that another process holds is asked for again. */
  busy_pause_max_ms: 25,
  /** A migration waits for the locks of others. */
  migration_wait_ms: minute_ms,
  /** An idle connection that writes is closed. */
  idle_connection_ms: minute_ms,
  /** Tries of a step that other processes may take at the same moment. */
  role_attempts_max: 5,
  /** An idle connection to PostgreSQL is probed after so long. */
  database_probe_ms: 10 * second_ms,

  // Webhook deliveries of a process

  /** Attempts under way to all endpoints together. */
  webhook_attempts_max: 1000,
  /** Endpoints that one process has in hand. */
  webhook_lanes_max: 500,
  /** After so many failures without a success an endpoint gets one attempt at a time… */
  webhook_troubled_failures: 5,
  /** …and all such endpoints together so many of the lanes. */
  webhook_troubled_lanes_max: 250,
  /** How long a process may be silent before another takes its endpoints over; longer than an attempt. */
  webhook_lease_ms: 30 * second_ms,
  /** How often the lease is renewed. */
  webhook_renewal_ms: 5 * second_ms,
  /** How often an endpoint that has attempts under way is looked at for more. */
  webhook_nudge_ms: second_ms,
  /** Due deliveries read at once, and sent ones that are not yet written down. */
  webhook_due_batch_max: 50,
  webhook_unrecorded_max: 100,
  /** Finished attempts are written down together this often… */
  webhook_record_ms: 10,
  /** …or when there are so many. */
  webhook_record_batch_max: 200,
  /** Tries of that when the store is not available. */
  webhook_record_tries_max: 4,
  /** Realms that are fanned out at once, and deliveries made in one transaction. */
  fan_out_realms_max: 50,
  fan_out_deliveries_max: 2000,
  /** A worker that was woken waits for more to come. */
  worker_wake_ms: 20,
  /** A worker that runs in every process says so often how it fares. */
  worker_report_ms: 5 * second_ms,

  // A process

  /** A process that starts waits for a database that does not answer yet. */
  database_start_ms: 10 * second_ms,
  /** Pause between its tries. */
  database_start_pause_ms: 500,
  /** From the signal on, what is in flight may go on for so long; then connections are cut. */
  shutdown_grace_ms: 7 * second_ms,
  /** From the signal to the end, whatever happens. */
  shutdown_ms: 9_500,
  /** The first run of a worker comes so long after the start. */
  worker_start_ms: second_ms,

  // What the operator's doctor calls too little, or too far

  /** Free space under which writes are about to be refused. */
  disk_free_bytes_min: 128 * MiB,
  /** Free space that should not be waited with. */
  disk_free_bytes_low: 2048 * MiB,
  /** Clocks of processes may differ by so much: what one of them removes is over for all. */
  clocks_apart_ms: 10 * minute_ms,
  /** Difference of two clocks that nobody notices. */
  clock_skew_ms: 5 * second_ms,

  // Backups

  /** Rows that a backup reads, and a restore writes, at a time. */
  backup_page_rows: 500,
  /** What a backup has written and the disk has not taken yet. */
  backup_buffer_bytes: MiB,
  /** A row of a backup. */
  backup_line_chars_max: 64 * MiB,
} as const
