/** The limits of the console: people, their sessions and what they send; part of `limits`. */

const second_ms = 1000
const minute_ms = 60 * second_ms
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms

const KiB = 1024
const MiB = 1024 * KiB

export const console_limits = {
  // Passwords

  /** Characters of a password, after normalization. */
  password_chars_min: 10,
  password_chars_max: 256,
  /** Argon2id (RFC 9106): memory in KiB, passes over it, lanes, and the bytes of salt and hash. */
  argon2_memory_kib: 19_456,
  argon2_passes: 2,
  argon2_lanes: 1,
  argon2_salt_bytes: 16,
  argon2_hash_bytes: 32,
  /** Passwords that a process hashes at once, and that wait for their turn; one more is refused. */
  passwords_hashed_max: 2,
  passwords_waiting_max: 50,

  // Sign-in

  /** Failures of one account, and from one address, within the window; one more is refused until it is over. */
  sign_in_account_failures_max: 10,
  sign_in_address_failures_max: 50,
  sign_in_window_ms: 15 * minute_ms,
  /** Life of a passkey's challenge. */
  passkey_challenge_ms: 5 * minute_ms,
  /** Passkeys of an account. */
  passkeys_max: 20,
  passkey_name_chars_max: 100,
  /** One answer of an authenticator, field by field. */
  passkey_field_chars_max: 64 * KiB,

  // Sessions

  /** Random characters of a cookie, and of a link. */
  session_secret_chars: 43,
  /** A session ends when it was not used for so long… */
  session_idle_ms: 12 * hour_ms,
  /** …and in any case after so long. */
  session_ms: 30 * day_ms,
  /** Sessions of an account; the next sign-in ends the one that was used longest ago. */
  sessions_max: 50,
  /** The use of a session is written down at most this often. */
  session_use_ms: minute_ms,
  /** The cookie gets a new value when it has been in use for so long… */
  session_rotation_ms: day_ms,
  /** …and the one before it still works for so long, for requests that were under way. */
  session_overlap_ms: 30 * second_ms,
  /** A password or passkey counts as just given for so long. */
  step_up_ms: 10 * minute_ms,
  /** Life of the token that the page calls `/v1` with, and of one that may manage keys. */
  session_token_ms: 15 * minute_ms,
  session_manage_token_ms: 5 * minute_ms,
  /** Living tokens of a session. */
  session_tokens_max: 100,

  // Links

  /** Life of a link that sets an account up. */
  set_up_link_ms: 15 * minute_ms,
  /** Life of an invitation. */
  invitation_ms: 7 * day_ms,
  /** Open invitations of an organization. */
  invitations_max: 200,
  /** How long used and expired links are kept. */
  links_kept_ms: 30 * day_ms,

  // What the console reads and sends

  /** Body of a request to `/app/api`, unless its endpoint says otherwise. */
  console_body_bytes_max: 64 * KiB,
  /** A board to import through the console. */
  console_board_bytes_max: 5 * MiB,
  /** People, and other actors, that the directory names. */
  directory_max: 2000,
  /** Rows of a page. */
  console_page: 50,
  /** Pages of a list of tasks that can be opened out of their order, and tasks that are read at once to find them. */
  console_places_max: 4000,
  console_places_slice: 500,
  /** Batches of the request log that are read at once. */
  console_log_batches: 20,
  /** Entries of the request log that one page looks at, and one summary. */
  console_log_seen_max: 20_000,
  console_summary_seen_max: 100_000,
  /** Errors and credentials that a summary tells apart. */
  console_groups_max: 500,
  /** Attempts that an endpoint's health is judged by. */
  console_attempts_shown: 50,
  /** Things that wait in a queue are counted up to here. */
  console_queue_max: 10_001,
  /** Between two examples that an endpoint is sent. */
  console_example_pause_ms: 2 * second_ms,
  /** Applications of a realm, and living tokens of one. */
  applications_max: 100,
  application_tokens_max: 20,
  /** Report of a broken content policy. */
  csp_report_bytes_max: 16 * KiB,
  /** Reports that are logged within a minute; others are only counted. */
  csp_reports_logged_max: 20,
} as const
