/** The limits of the commands that speak to a server over HTTP; part of `limits`. */

const second_ms = 1000
const minute_ms = 60 * second_ms
const MiB = 1024 * 1024

export const client_limits = {
  /** One request, until its answer is read. */
  client_request_ms: minute_ms,
  /** One answer: a page of a hundred of the largest objects fits. */
  client_answer_bytes_max: 512 * MiB,
  /** Tries after the first, and the longest wait for credits altogether, unless told otherwise. */
  client_retries_default: 4,
  client_retries_max: 20,
  client_wait_seconds_default: 120,
  client_wait_seconds_max: 86_400,
  /** The first pause before another try; it doubles. */
  client_pause_ms: 250,
  /** Waits that are told on standard error. */
  client_wait_told_ms: 5 * second_ms,
  /** A credential, read from a file or from standard input. */
  client_key_bytes_max: 1024,
  /** A file or standard input that becomes a field or a body; the server takes a mebibyte. */
  client_input_bytes_max: 4 * MiB,
  /** A stream is taken for dead when nothing came for so long: three of the server's comments. */
  stream_silent_ms: 45 * second_ms,
  /** The longest pause before a stream is opened again. */
  stream_pause_ms_max: 30 * second_ms,
  /** One frame of a stream. */
  stream_frame_chars_max: 16 * MiB,

  // Importing

  /** A Trello export, which is read as a whole. */
  import_json_bytes_max: 512 * MiB,
  /** One row of a CSV file. */
  import_row_bytes_max: 8 * MiB,
  /** Columns of a CSV file. */
  import_columns_max: 2000,
  /** Bytes of one batch of tasks: under the server's limit of a body, with room for what is around them. */
  import_batch_bytes_max: 900 * 1024,
  /** Waits for credits during an import, unless told otherwise. */
  import_wait_seconds_default: 900,
  import_retries: 10,
  /** Up to this age a request that got no answer is repeated with its key; then its effect is looked for. */
  import_repeat_ms: 23 * 60 * minute_ms,
  /** Refusals shown on the terminal; the report has them all. */
  import_refusals_shown_max: 20,
  /** Progress is told so often where it is no terminal. */
  import_progress_ms: 10 * second_ms,
} as const
