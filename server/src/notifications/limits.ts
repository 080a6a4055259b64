/** The limits of the inbox. */
import { day_ms, hour_ms, minute_ms, second_ms } from '../lib/units.ts'

export const inbox_limits = {
  /** Events that are processed in one transaction: writes of the organization wait for it. */
  inbox_events_max: 50,
  /** Entries after which a transaction ends, even with events left. */
  inbox_entries_max: 1000,
  /** Realms that are looked for at once. */
  inbox_realms_max: 50,
  /** After a commit the worker waits for more events of the same and of other realms: with 64 organizations a pass would have one of each. */
  inbox_wake_ms: 200,
  /** After a pass over `inbox_many_realms` realms or more the worker pauses: the next one then has several events of each, which cost little more than one. */
  inbox_many_realms: 16,
  inbox_pause_ms: 300,
  /** Characters of a comment that an entry shows. */
  inbox_excerpt_chars_max: 280,
  /** People and teams mentioned in one text who hear of it. */
  inbox_mentions_max: 50,
  /** People who hear of one text because it mentions their teams; further ones do not. */
  inbox_team_people_max: 1000,
  /** An object that is older than its `created` event by this time was imported: no person hears of it. */
  inbox_imported_after_ms: minute_ms,
  /** Entries are kept for this time. */
  inbox_kept_ms: 180 * day_ms,
  /** Hour of a person's day at which tasks due tomorrow are reported. */
  inbox_due_tomorrow_hour: 9,
  /** Tasks that the clock looks at in one transaction. */
  inbox_due_tasks_max: 200,
  /** A clock that did not run for longer looks back no further. */
  inbox_clock_back_ms: 2 * day_ms,
  /** Older entries, as those of a rebuild, are not sent. */
  inbox_sent_within_ms: day_ms,
  /** Browsers of a person in an organization that show notices; one more takes the place of the oldest. */
  inbox_subscriptions_max: 10,
  /** Characters of a browser's id in the id of its notices. */
  inbox_push_id_chars: 16,
  /** Notices that one process sends at a time. */
  push_batch_max: 20,
  /** Lease of a notice that is sent: longer than an attempt. */
  push_lease_ms: minute_ms,
  /** Waits after the first, second … failed attempt; after the last one the notice is dead. */
  push_first_wait_ms: 30 * second_ms,
  push_wait_factor: 4,
  push_wait_max_ms: 6 * hour_ms,
  push_attempts_max: 5,
  /** How often a notice is sent again because its process ended while it sent it: of several, a browser shows the last. */
  push_repeats_max: 4,
  /** Characters of the title, and of the text below it. */
  push_title_chars_max: 120,
  push_body_chars_max: 200,
  /** Ended notices are kept for this time. */
  push_kept_ms: 7 * day_ms,
  /** Hour of a person's day at which the digest is sent. */
  inbox_digest_hour: 8,
  /** Watchers of a task that an answer lists. */
  inbox_watchers_listed_max: 100,
  /** How far ahead an entry can be put off: a year, leap day included. */
  inbox_snooze_max_ms: 366 * day_ms,
} as const
