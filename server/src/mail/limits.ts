/** The limits of mail. */
import { day_ms, hour_ms, KiB, MiB, minute_ms, second_ms } from '../lib/units.ts'

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
  /** How often a mail is sent again because its process ended while it sent it: a reader may see each of them. */
  mail_repeats_max: 1,
  /** Ended mails are kept for this time. */
  mail_kept_ms: 30 * day_ms,
  /** Dead mails that operators see at once. */
  mail_dead_listed_max: 1000,
  mail_wait_max_ms: 24 * hour_ms,
  /** A mail that is received, with its attachments. */
  inbound_bytes_max: 25 * MiB,
  /** Connections of the receiver; one more is refused for now. */
  inbound_connections_max: 20,
  /** Mails that are read into memory at a time; one more is refused for now. */
  inbound_mails_max: 4,
  /** Silence of a sender, after which its connection is closed. */
  inbound_silence_ms: minute_ms,
  /** Wrong recipients of a connection, after which it is closed. */
  inbound_strangers_max: 5,
  /** Comments by mail of a person in an hour; one more is refused for now. */
  inbound_person_max: 60,
  inbound_person_window_ms: hour_ms,
  /** Message-IDs of mails that became comments: longer than a sender tries again. */
  inbound_kept_ms: 30 * day_ms,
  /** Headers and parts of a mail, and how deep parts may be nested. */
  inbound_header_bytes_max: 256 * KiB,
  inbound_parts_depth_max: 20,
  /**
   * Characters of HTML that are read for its text, how deep its elements may be nested, and elements side by side. Of these characters
   * the most hostile took up to 0.9 s on a busy machine, a million 30 s (html-to-text 10.0.1).
   */
  inbound_html_chars_max: 64 * KiB,
  inbound_html_depth_max: 100,
  inbound_html_nodes_max: 2_000,
  /** Images in the text that are smaller, such as logos of signatures, are no attachments. */
  inbound_image_bytes_min: 8 * KiB,
  /** Lifetime of a link to a new password. */
  reset_link_ms: hour_ms,
  /** Accounts of one address that get a link at a request. */
  reset_accounts_max: 5,
  /** Requests for new passwords that one run answers. */
  reset_batch_max: 20,
} as const
