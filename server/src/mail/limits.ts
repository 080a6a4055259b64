/** The limits of mail. */
import { day_ms, hour_ms, minute_ms, second_ms } from '../lib/units.ts'

export const mail_limits = {
  /** Connecting to the SMTP server, and its greeting. */
  mail_connect_ms: 10 * second_ms,
  /** Silence of the SMTP server, after which an attempt has failed. */
  mail_silence_ms: 30 * second_ms,
  /** Characters of a subject. */
  mail_subject_chars_max: 200,
  /** Entries that a digest lists; the rest is counted. */
  mail_digest_entries_max: 50,
  /** Mails that one process sends at a time. */
  mail_batch_max: 10,
  /** Lease of a mail that is sent: longer than an attempt. */
  mail_lease_ms: 2 * minute_ms,
  /** Waits after the first, second … failed attempt; after the last one the mail is dead. */
  mail_first_wait_ms: minute_ms,
  mail_wait_factor: 4,
  mail_attempts_max: 7,
  /** Ended mails are kept for this time. */
  mail_kept_ms: 30 * day_ms,
  /** Dead mails that operators see at once. */
  mail_dead_listed_max: 1000,
  mail_wait_max_ms: 24 * hour_ms,
  /** Lifetime of a link to a new password. */
  reset_link_ms: hour_ms,
  /** Accounts of one address that get a link at a request. */
  reset_accounts_max: 5,
  /** Requests for new passwords that one run answers. */
  reset_batch_max: 20,
} as const
