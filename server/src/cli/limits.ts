/** The limits of the command line: calls to a server, streams, imports, the life of a process, and its doctor. */
import { day_ms, hour_ms, KiB, MiB, minute_ms, second_ms } from '../lib/units.ts'

export const cli_limits = {
  // Calls

  /** One request until its response is read. */
  client_request_ms: minute_ms,
  /** One upload until its response is read. */
  client_upload_ms: hour_ms,
  /** One response: a page of 100 of the largest objects fits. */
  client_answer_bytes_max: 512 * MiB,
  /** Retries, and the longest wait for credits in total. */
  client_retries_default: 4,
  client_retries_max: 20,
  client_wait_seconds_default: 120,
  client_wait_seconds_max: 86_400,
  /** The first pause before a retry; it doubles. */
  client_pause_ms: 250,
  /** Waits from this length on are reported on standard error. */
  client_wait_reported_ms: 5 * second_ms,
  /** A credential read from a file or standard input. */
  client_key_bytes_max: KiB,
  /** A file or standard input that becomes a field or a body; the server accepts 1 MiB. */
  client_input_bytes_max: 4 * MiB,
  /** Retries and longest wait for credits of `atrium mcp`: an agent is waiting, and gets longer waits as an error. */
  mcp_retries: 2,
  mcp_wait_seconds_max: 2,

  // Streams

  /** A stream is considered dead after this silence: three of the server's comments. */
  stream_silent_ms: 45 * second_ms,
  /** Longest pause before a stream is reopened. */
  stream_pause_ms_max: 30 * second_ms,
  stream_frame_chars_max: 16 * MiB,

  // Imports

  /** A Trello export, which is read as a whole. */
  import_json_bytes_max: 512 * MiB,
  /** One row of a CSV file. */
  import_row_bytes_max: 8 * MiB,
  /** Default of the longest wait for credits. */
  import_wait_seconds_default: 900,
  import_retries: 10,
  /** Refusals shown on the terminal; the report lists all of them. */
  import_refusals_shown_max: 20,
  /** Interval of progress reports without a terminal. */
  import_progress_ms: 10 * second_ms,

  // Start and stop

  /** At the start, how long a process waits for an unreachable database, and its pause between attempts. */
  database_start_ms: 10 * second_ms,
  database_start_pause_ms: 500,
  /** From the signal to the exit, in any case. */
  shutdown_ms: 9_500,

  // Continuous backup

  /** A drill fails if the newest state that it could restore is older. */
  drill_behind_ms: hour_ms,
  /** Age of the newest drill at which the doctor asks for another one. */
  drill_age_ms: 35 * day_ms,
  /** Contents of files that are named when they are missing. */
  missing_files_shown: 5,

  // Doctor

  /** Events that the index of search may be behind without a warning: a busy server catches up. */
  search_behind_events: 1000,
  /** Free disk space at which writes will soon fail. */
  disk_free_bytes_min: 128 * MiB,
  /** Free disk space that needs attention. */
  disk_free_bytes_low: 2048 * MiB,
  /** Acceptable difference between two clocks. */
  clock_skew_ms: 5 * second_ms,
} as const
