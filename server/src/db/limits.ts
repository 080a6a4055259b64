/** The limits of storage: waits, transactions, caches, connections, backups. */
import { day_ms, hour_ms, MiB, minute_ms, second_ms } from '../lib/units.ts'

export const db_limits = {
  // Statements and lists

  /** Waiting for a connection or a lock. */
  database_wait_ms: 5 * second_ms,
  /** One statement. */
  statement_ms: 30 * second_ms,
  /** Prepared statements per connection. */
  prepared_statements_max: 2000,
  /**
   * If an index leads to at most this number of tasks, they are read and sorted; beyond it the index of the order is
   * scanned.
   */
  list_few_max: 2000,
  /** Conditions of one list that are considered for it. */
  list_access_paths_max: 6,
  /** SQLite scans many rows in slices and serves other requests between them. Slices begin with this size… */
  list_slice_min: 100,
  /** …grow up to this one… */
  list_slice_max: 10_000,
  /** …and should take this time. */
  list_slice_ms: 8,
  /** An order by custom fields reads this number of tasks at a time… */
  field_order_batch: 2000,
  /** …and this number of positions beyond the page, in place of tasks that are deleted meanwhile. */
  field_order_spare: 20,
  /** Rows waiting in a queue are counted up to this number. */
  queue_counted_max: 10_001,

  // Writes

  /** Queued writes; one more is refused. */
  waiting_writes_max: 10_000,
  /** Queued dry runs: in total on SQLite, per organization on PostgreSQL. */
  waiting_rehearsals_max: 1000,
  /** Writes in one commit. */
  batch_writes_max: 256,
  /** How long a commit waits for more writes while requests keep arriving… */
  batch_gather_ms: 3,
  /** …and while writes are among them. */
  batch_gather_writes_ms: 10,
  /** Rows found by key that a transaction caches for its jobs. */
  kept_lookups_max: 5000,
  /** Rows of a list that it caches. */
  kept_list_rows_max: 200,
  /** Lookups by key in one statement. */
  joined_lookups_max: 256,
  /** Rows that a PostgreSQL transaction buffers to insert them together: characters per table. */
  write_buffer_chars_max: MiB,

  // Health of SQLite

  /** A start checks every page of a file up to this size by itself (some 20 ms if the file is cached)… */
  start_check_here_bytes_max: 16 * MiB,
  /** …and the pages of a larger one in a process of its own, for this time at most. */
  start_check_ms: 10 * second_ms,
  /** With less free space the disk counts as full. */
  disk_room_bytes: MiB,

  // Checkpoints of SQLite

  /** A checkpoint begins at this number of pages in the write-ahead log… */
  checkpoint_frames: 16_000,
  /** …and makes writers wait for its last pass once at most this number was written meanwhile… */
  checkpoint_last_frames: 500,
  /** …or after this number of passes. */
  checkpoint_passes_max: 5,
  /** A write-ahead log that a reader let grow is cut to this size when it starts over. */
  log_kept_bytes: 128 * MiB,
  /** A snapshot notes its progress at this interval; one that has noted none for the next time counts as stopped… */
  reader_touch_ms: second_ms,
  reader_silent_ms: 10 * second_ms,
  /** …and is ended when the write-ahead log has this size. */
  log_silent_reader_bytes: 512 * MiB,
  /** At this size of the write-ahead log, every snapshot is ended. */
  log_reader_bytes_max: 8192 * MiB,
  /** Pages in the write-ahead log of the request log at which its thread checkpoints. */
  request_log_wal_pages: 2000,
  /** Longest pause before the lock of a SQLite file, held by another process, is requested again. */
  busy_pause_max_ms: 25,

  // Connections to PostgreSQL

  /** UTF-8 bytes of a broadcast; PostgreSQL takes fewer than 8,000. */
  broadcast_bytes_max: 7_900,
  write_connections: 8,
  read_connections: 4,
  /** Statistics of tables that have grown are taken when a process has inserted this number of rows… */
  statistics_rows_min: 1000,
  /** …and each time this many times as many; of tables that are this many times as large as before. */
  statistics_growth: 4,
  /** A transaction that collided or lost its connection is retried for this time… */
  transaction_retries_ms: 2 * second_ms,
  /** …after a pause that begins here and doubles… */
  transaction_pause_ms: 20,
  /** …this often as a whole, then job by job. */
  transaction_attempts_max: 3,
  /** Batches of several organizations that commit at the same time. */
  write_lanes: 2,
  /** Such batches on each node of Citus: what waits meanwhile shares the next one, whose statements hold more rows of each shard. */
  node_lanes: 1,
  /** A batch that takes longer no longer counts among those of its node: others must not wait for one slow organization. */
  slow_batch_ms: 100,
  /** Batches that commit at the same time on Citus. */
  cluster_lanes: 6,
  /** Such a batch waits this long for a lock; then each organization waits by itself. */
  shared_wait_ms: 200,
  /** An organization whose job rolled back a batch of several commits alone for this time. */
  separate_ms: minute_ms,
  /** Attempts of a read whose connection was lost. */
  read_attempts_max: 3,
  /** A read that a replica does not answer within this time, because it is behind or silent, goes to the primary. */
  replica_wait_ms: 100,
  /** How long a probe waits for a replica's answer. */
  replica_answer_ms: 5 * second_ms,
  /** A replica that could not answer is tried again at this interval. */
  replica_probe_ms: second_ms,
  /** Nodes of a Citus cluster to which a process connects itself… */
  nodes_max: 64,
  /** Statements with their shards that a process keeps for each shard… */
  shard_texts_max: 1000,
  /** …and that each connection to a node prepares, over all its shards; the one that was used longest ago makes room. */
  shard_statements_max: 600,
  /** …each with this number of connections for transactions… */
  node_write_connections: 6,
  /** …and for reads. */
  node_read_connections: 2,
  /** Interval at which a process reads which node holds which rows. */
  node_refresh_ms: 5 * second_ms,
  /** A node that could not answer is tried again at this interval. */
  node_probe_ms: second_ms,
  /** A migration waits this long for the locks of others. */
  migration_wait_ms: minute_ms,
  /** A process that has lost its connections is back after this time: longer than the pauses between its attempts. */
  process_return_ms: 3 * second_ms,
  /** An idle write connection is closed after this time. */
  idle_connection_ms: minute_ms,
  /** An idle connection is probed after this time. */
  database_probe_ms: 10 * second_ms,
  /** Attempts to create the role that another process may create at the same moment. */
  role_attempts_max: 5,

  // Secret key

  /** Sealed values per column that are tried to find out whether a key belongs to a database without a fingerprint. */
  key_proofs_max: 20,
  /** A rotation waits this long for processes that are about to end… */
  rotation_wait_ms: 5 * second_ms,
  /** …and looks for them at this interval. */
  rotation_pause_ms: 100,
  /** Signatures of the former key are accepted for this time: a download link is valid for an hour. */
  former_signatures_ms: hour_ms,

  // Backups

  /** Rows that a backup reads, and a restore writes, at a time. */
  backup_page_rows: 500,
  /** The same, of each shard of a table on Citus. */
  backup_shard_page_rows: 100,
  /** How long a backup of a cluster waits for a pause of writes, which wait behind it, and how long it tries again. */
  backup_pause_ms: 400,
  backup_pauses_ms: minute_ms,
  /** Bytes of a backup that the disk has not taken yet. */
  backup_buffer_bytes: MiB,
  /** One line of a backup. */
  backup_line_chars_max: 64 * MiB,

  // Continuous backup of SQLite

  /** Interval at which commits are copied to a folder, and to a bucket, whose requests cost money. */
  follow_interval_ms: second_ms,
  follow_bucket_interval_ms: 5 * second_ms,
  /** Pause after a destination that failed. */
  follow_retry_ms: 2 * second_ms,
  /** Interval at which the destination records up to when everything is there. */
  follow_head_ms: 10 * second_ms,
  /** Age at which the status of a follower counts as behind. */
  follow_behind_ms: 30 * second_ms,
  /** Frames of one segment, and bytes of one part of a base or of a file's content. */
  follow_segment_frames: 1000,
  follow_part_bytes: 4 * MiB,
  /** Pages in the write-ahead log at which the follower lets it start over: writers wait for one short checkpoint… */
  follow_reset_frames: 16_000,
  /** …which begins only if at most this number of frames is left to copy, and waits this long for another checkpoint. */
  follow_reset_left_frames: 1000,
  follow_copying_wait_ms: 250,
  /** At this size of the write-ahead log, a follower whose destination fails stops holding it. */
  follow_log_bytes_max: 1024 * MiB,
  /** At this size, a base that is still being copied is given up. */
  follow_base_log_bytes_max: 4096 * MiB,
  /** Age of the newest base at which the next one begins, and the pause after one that failed. */
  follow_base_ms: day_ms,
  follow_base_pause_ms: minute_ms,
  /** Days for which every moment can be restored. */
  follow_keep_days_default: 7,
  follow_keep_days_max: 3650,
  /** Interval at which new content of files is copied; longer if looking for it takes long. */
  follow_files_ms: 10 * second_ms,
  /** Segments that a restore reads ahead. */
  follow_read_ahead: 8,

  // Continuous backup of PostgreSQL

  /** Received bytes that wait to be stored; the server waits beyond them. */
  follow_waiting_bytes_max: 16 * MiB,
  /** Interval at which the server hears of the follower; it gives up a silent one after `wal_sender_timeout` (60 s). */
  follow_answer_ms: 10 * second_ms,
  /** How long a restore waits for the server to replay the log, and between two looks; and for it to shut down. */
  recovery_wait_ms: 12 * hour_ms,
  recovery_pause_ms: 100,
  recovery_stop_ms: 5 * minute_ms,
} as const
