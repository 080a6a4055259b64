/** The limits of search: its query, its results, and the index. */
import { second_ms } from '../lib/units.ts'

export const search_limits = {
  /** Characters of a query (contract/06#search). */
  query_chars_max: 200,
  /** Characters of a word that are compared. */
  word_chars_max: 64,
  /** UTF-16 units of an excerpt, without the `…` at its ends. */
  excerpt_units_max: 200,
  /** UTF-16 units of an excerpt before its first match. */
  excerpt_units_before: 60,
  /** Marked places of an excerpt. */
  highlights_max: 20,
  /** How long a query waits until the index has the newest commit… */
  wait_ms: 250,
  /** …how often it looks… */
  wait_step_ms: 10,
  /** …and how many events the index may be behind for the wait to be of use. */
  wait_events_max: 100,
  /** Documents that are read forwards before a page is looked for backwards. */
  few_documents_max: 400,
  /** Times that a page looks for further results because objects it found were deleted meanwhile. */
  page_reads_max: 10,
  /** First characters of a word that have index entries of their own; a longer prefix is looked up by them and compared. */
  prefix_chars_max: 4,
  /** Objects that may get the same `updated`, in milliseconds, before the next one is used in their order. */
  same_time_max: 2048,
  /** The last time that orders results, in milliseconds: the year 2109. */
  time_max: 2 ** 42 - 1,

  // The worker

  /** Events or objects that are indexed in one transaction: writes wait for it. */
  index_rows_max: 50,
  /** Realms that are looked for at once. */
  index_realms_max: 64,
  /** Duration of a run. */
  index_run_ms: 10 * second_ms,
} as const
