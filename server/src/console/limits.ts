/** The limits of the console: accounts, sign-in, sessions, links, and what its endpoints read and send. */
import { day_ms, KiB, MiB, minute_ms, second_ms } from '../lib/units.ts'

export const console_limits = {
  /** Comments whose authors one request asks for. */
  console_comments_max: 100,
  // Passwords

  /** Characters of a password, after normalization. */
  password_chars_min: 10,
  password_chars_max: 256,
  /** Argon2id (RFC 9106): memory in KiB, passes, lanes, and the bytes of salt and hash. */
  argon2_memory_kib: 19_456,
  argon2_passes: 2,
  argon2_lanes: 1,
  argon2_salt_bytes: 16,
  argon2_hash_bytes: 32,
  /** Passwords that a process hashes at once, and that are queued; one more is refused. */
  passwords_hashed_max: 2,
  passwords_waiting_max: 50,

  /** Each key of a browser that shows notices, in base64url. */
  push_key_chars_max: 200,

  /** Accounts of one email address: each organization may have its own. */
  accounts_per_email_max: 1000,

  /** Organizations of an account, for creating one more in the console. */
  own_organizations_max: 100,

  // Sign-in

  /** Failures of one account, and from one address, within `sign_in_window_ms` of `api/limits.ts`; one more is refused. */
  sign_in_account_failures_max: 10,
  sign_in_address_failures_max: 50,
  /** Lifetime of a passkey challenge. */
  passkey_challenge_ms: 5 * minute_ms,
  /** Passkeys of an account. */
  passkeys_max: 20,
  passkey_name_chars_max: 100,
  /** Each field of an authenticator's response. */
  passkey_field_chars_max: 64 * KiB,

  // Second factor

  /** A set-up that is not finished after this time starts again. */
  authenticator_set_up_ms: 15 * minute_ms,
  /** Periods before and after the present one whose codes are accepted, for clocks that differ. */
  authenticator_periods_apart: 1,
  /** Recovery codes of an account, and the characters of each without its dash. */
  recovery_codes: 10,
  recovery_code_chars: 12,
  /** Wrong codes of an account within `sign_in_window_ms`; one more is refused. */
  second_factor_failures_max: 10,
  /** A code as it is typed. */
  second_factor_code_chars_max: 40,

  // Sign-in by OpenID Connect

  /** Lifetime of a sign-in that is at a provider. */
  openid_flow_ms: 10 * minute_ms,
  /** Sign-ins started from one address within `sign_in_window_ms`; each of them is a row. */
  openid_starts_max: 300,
  /** The query with which a provider sends the browser back. */
  openid_query_chars_max: 8 * KiB,
  /** The address of the page to open afterwards. */
  openid_next_chars_max: 2048,
  /** Identities of an account. */
  openid_identities_max: 100,
  /** What the clocks of server and provider may differ when an authentication must be new. */
  openid_clock_ms: 30 * second_ms,

  // Sign-in of applications by OAuth

  /** Redirect URIs of a client, and the characters of each. */
  oauth_redirect_uris_max: 10,
  oauth_redirect_uri_chars_max: 512,
  /** The query of an authorization request, its `state`, and the body of a request of a client. */
  oauth_request_chars_max: 6 * KiB,
  oauth_state_chars_max: 2048,
  oauth_body_bytes_max: 16 * KiB,
  /** Lifetime of a code. */
  oauth_code_ms: minute_ms,
  /** A refresh token that is not used for this time ends with its grant. */
  oauth_refresh_ms: 30 * day_ms,
  /** Grants of a person in an organization. */
  oauth_grants_max: 100,
  /** Grants of one application that are ended together. */
  oauth_grants_ended: 500,
  /** Characters of the name with which a client registers itself. */
  oauth_client_name_chars_max: 80,
  /** Clients that registered themselves, in the installation, and those from one address within `sign_in_window_ms`. */
  oauth_self_registered_max: 10_000,
  oauth_registrations_max: 20,
  /** A client that registered itself is deleted this time after its registration, or after its last use. */
  oauth_unused_ms: day_ms,
  oauth_idle_ms: 60 * day_ms,

  /** An ID token that is kept for the sign-out: a longer one would not fit into an address everywhere. */
  id_token_chars_max: 4096,

  // Provisioning by SCIM

  /** Tokens of an organization, and the characters of the name of each. */
  scim_tokens_max: 10,
  scim_token_name_chars_max: 80,
  /** Requests of a token to one process within the window, and the tokens that are counted. */
  scim_requests_max: 1200,
  scim_window_ms: minute_ms,
  scim_tokens_counted_max: 10_000,
  /** Users or groups of a page. */
  scim_page_max: 200,
  /** Operations of a PATCH. */
  scim_operations_max: 100,
  scim_filter_chars_max: 500,
  scim_body_bytes_max: 64 * KiB,
  /** Members that one attribute of a request names; a page of groups that has this many people ends. */
  scim_members_max: 1000,
  scim_listed_members_max: 10_000,
  scim_group_bytes_max: 512 * KiB,

  // Own changes

  /** Changes in the list of those that can be undone, and the events that are read for it. */
  console_changes_max: 30,
  console_change_events_max: 600,

  // Sessions

  /** Random characters of a cookie, and of a link. */
  session_secret_chars: 43,
  /** Lifetime of a session; without use it ends after `session_idle_ms` of `api/limits.ts`. */
  session_ms: 30 * day_ms,
  /** Sessions of an account; the next sign-in ends the least recently used one. */
  sessions_max: 50,
  /** Shortest interval between writes of a session's last use. Sessions are copied to every node of a Citus cluster. */
  session_use_ms: 10 * minute_ms,
  /** The cookie gets a new value after this time in use… */
  session_rotation_ms: day_ms,
  /** …and the old value works for this time more, for requests in flight. */
  session_overlap_ms: 30 * second_ms,
  /** How long a password or passkey counts as just given. */
  step_up_ms: 10 * minute_ms,
  /** Lifetime of the token with which the page calls `/v1`, and of one that may manage keys. */
  session_token_ms: 15 * minute_ms,
  session_manage_token_ms: 5 * minute_ms,
  /** Valid tokens of a session. */
  session_tokens_max: 100,

  // Links

  /** Lifetime of a link that sets up an account. */
  set_up_link_ms: 15 * minute_ms,
  /** Lifetime of an invitation. */
  invitation_ms: 7 * day_ms,
  /** Open invitations of an organization. */
  invitations_max: 200,

  /** Lifetime of a link that confirms an address. */
  address_link_ms: day_ms,
  /** Mails with links that an address, or a browser's address, can ask for within `sign_in_window_ms`; one more is refused. */
  mailed_links_max: 5,
  mailed_links_source_max: 50,

  // Endpoints

  /** Body of a request to `/app/api`, unless its endpoint declares another limit. */
  console_body_bytes_max: 64 * KiB,
  /** A board to import through the console. */
  console_board_bytes_max: 5 * MiB,
  /** An image of a board in base64. */
  console_image_bytes_max: 7 * MiB,
  /** Operators that are listed. */
  operators_max: 1000,
  /** Actors that the directory lists. */
  directory_max: 2000,
  /** People of teams in the directory. */
  directory_memberships_max: 20_000,
  /** Rows of a page. */
  console_page: 50,
  /** Pages of a task list that can be opened out of order, and tasks read at once to find them. */
  console_places_max: 4000,
  console_places_slice: 500,
  /** Tasks whose relations are read together, a page of them, and the dependencies listed. */
  console_relations_tasks_max: 100,
  console_relations_max: 2000,
  /** Entries of the request log that one page reads, and one summary. */
  console_log_seen_max: 20_000,
  console_summary_seen_max: 100_000,
  /** Errors and credentials that a summary lists separately. */
  console_groups_max: 500,
  /** Attempts from which an endpoint's health is computed. */
  console_attempts_shown: 50,
  /** Pause between two test events to one endpoint. */
  console_example_pause_ms: 2 * second_ms,
  /** Applications of a realm, and valid tokens of one application. */
  applications_max: 100,
  application_tokens_max: 20,
  /** Reports of a violated content security policy that are logged per minute; more are only counted. */
  csp_reports_logged_max: 20,

  // Reports

  /** Days of a report, and the characters of their bounds. */
  report_days_max: 100,
  report_bounds_chars_max: 1400,
  /** Events that a report reads, in pages, and its time in slices. */
  report_events_max: 20_000,
  report_page_events: 250,
  report_slice_ms: 8,
  report_ms: 5 * second_ms,
  /** Completed tasks that a report lists. */
  report_tasks_max: 500,
  /** Tasks whose start is searched before the report's days, and the events of each that are read. */
  report_starts_max: 100,
  report_start_events_max: 100,
} as const
