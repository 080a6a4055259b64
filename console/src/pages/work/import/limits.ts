/** The limits of imports in the browser. */

const MiB = 1024 * 1024

export const page_limits = {
  /** A file is read as a whole, and kept in the browser until its import is finished. */
  file_bytes_max: 32 * MiB,
  /** Bytes that are looked at to see whether a file is text. */
  sniffed_bytes: 4096,
  /** Rows between two pauses, in which the page draws and answers. */
  rows_between_pauses: 500,
  first_tasks_shown: 8,
  notes_shown: 50,
  /** Words of one kind that are offered for mapping. */
  words_shown: 100,
  labels_shown: 40,
  project_name_chars_max: 200,
  /** The longest wait for credits; after it the import stops. */
  wait_s_max: 900,
  pause_ms_min: 1000,
  pause_ms_max: 10_000,
} as const
