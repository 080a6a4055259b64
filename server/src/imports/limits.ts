/** The limits of an import, wherever it runs. */
import { KiB, minute_ms } from '../lib/units.ts'

export const import_limits = {
  /** Columns of a CSV file. */
  columns_max: 2000,
  /** A text that may be a date: the forms of dates take time that grows faster than the text. */
  date_chars_max: 80,
  /** One batch of tasks: below the server's limit of a body, with room for the rest of the body. */
  batch_bytes_max: 900 * KiB,
  /** Up to this age an unanswered request is repeated with its key; later its effect is looked for. */
  repeat_ms: 23 * 60 * minute_ms,
} as const
