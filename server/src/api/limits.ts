/**
 * The limits of the API and of the rules that hold for every operation, unit last in each name. Other rooms keep their
 * limits in their own `limits.ts`. Those that an operator may change are defaults here and are read from `config.ts`.
 */
import { day_ms, hour_ms, KiB, MiB, minute_ms, second_ms } from '../lib/units.ts'

export const limits = {
  // Requests (contract/05#request-limits)

  body_bytes_max: MiB,
  /** Nesting of arrays and objects in a body. */
  json_depth_max: 32,
  /** Keys of one object in a body; no operation takes nearly as many. */
  json_keys_max: 1000,
  /** Arrays and objects in a body. */
  json_containers_max: 20_000,
  /** Path and query together. */
  url_bytes_max: 8 * KiB,
  /** All headers together. */
  header_bytes_max: 16 * KiB,
  /** Any public id (contract/01#public-ids). */
  id_chars_max: 160,
  /** `Idempotency-Key` without quotes (contract/03#key-format). */
  idempotency_key_chars_max: 255,
  /** Any amount, duration or count (contract/01#numbers). */
  safe_integer_max: Number.MAX_SAFE_INTEGER,
  /** Faults listed in one answer (contract/02#several-faults). */
  faults_max: 100,
  /** Errors of the schema compiler that faults are made from; several errors may make one fault. */
  schema_errors_max: 1000,

  // Lists (contract/06)

  page_limit_max: 100,
  page_limit_default: 20,
  cursor_chars_max: 1024,
  /** A cursor that is an id, in sorted lists too. */
  id_cursor_chars_max: 160,
  /** Names in `fields`. */
  fields_max: 50,
  /** Names in `expand`. */
  expand_max: 10,
  /** Values of a repeated query parameter. */
  repeated_values_max: 100,
  /** Keys in `sort`. */
  sort_keys_max: 2,
  filter_chars_max: 2048,
  filter_comparisons_max: 50,
  /** Nesting of parentheses and negations in `filter`. */
  filter_depth_max: 8,

  // Bulk operations (contract/15)

  /** Characters of an id in another system, and of that system's name. */
  external_id_chars_max: 200,
  import_source_chars_max: 64,
  batch_tasks_max: 100,
  reorder_columns_max: 100,
  /** Columns and tasks of a project to duplicate. */
  duplicate_objects_max: 99,
  bulk_tasks_max: 500,
  /** How long own changes can be undone. */
  undo_age_ms: day_ms,
  undo_requests_max: 20,
  /** Objects that the undone requests changed. */
  undo_events_max: 2000,
  /** Longest time from the arrival of a request to its commit that undo looks for. */
  undo_commit_ms: 15 * second_ms,

  // Fields (contract/01#field-bounds)

  /** `title` and `name`. */
  title_chars_max: 500,
  /** `description`, `notes` and the `body` of a comment. */
  text_chars_max: 65_536,
  /** `note` and `reason`. */
  note_chars_max: 2000,
  label_chars_max: 80,
  /** Labels of a task. */
  labels_max: 50,
  /** Keys of `custom_fields` and `extra_fields` (contract/01#custom-fields). */
  custom_fields_max: 50,
  custom_field_key_chars_max: 40,
  custom_field_chars_max: 2000,
  /** Strings of an array in `custom_fields`. */
  custom_field_items_max: 50,
  /** Custom fields that a workspace defines (contract/14#custom-field). */
  fields_defined_max: 50,
  /** Options of a select. */
  field_options_max: 100,
  field_option_name_chars_max: 100,
  /** Definitions of a key, one a workspace, that a sort or filter over several workspaces looks at. */
  fields_of_key_max: 1000,
  /** Projects that a guest sees. */
  guest_projects_max: 50,
  /** The newest tasks of a guest's projects whose people the guest sees. */
  guest_people_tasks_max: 2000,
  /** Subtasks that a statement counts for a guest, plus those of its last task; a page takes several statements. */
  guest_subtasks_slice: 2000,
  /** Characters of a label or custom field that an index keeps; the rest is compared in the task. */
  term_chars_max: 100,
  /** `due_in_seconds` of a task template: 100 years. */
  due_in_seconds_max: 100 * 365 * 86_400,
  /** Any time that a client sets, in Unix seconds: the last second of the year 9999. */
  moment_seconds_max: 253_402_300_799,
  /** The range of JavaScript's `Date`, in which milliseconds are exact; earlier versions stored such times. */
  stored_moment_seconds_max: 8_640_000_000_000,
  /** How far after the present a time entry may end: a year, leap day included. */
  time_entry_ahead_ms: 366 * day_ms,
  /** `tax_rate_bp`, in hundredths of a per cent. */
  tax_rate_bp_max: 100_000,
  /** Distance between the positions of columns and tasks that are created without one. */
  position_step: 1024,
  /** Absolute value of a position: integers and halves are still exact. */
  position_max: 1e15,
  /** Neighbours of a moved task that get new positions in its commit. */
  renumbered_tasks_max: 200,
  /** Tasks from a root to a leaf. */
  task_levels_max: 5,
  /** Direct subtasks of a task. Deleting the task changes them all in one commit. */
  subtasks_max: 1000,
  organization_name_chars_max: 500,
  /** Domains of an organization. */
  domains_max: 100,
  domain_chars_max: 253,
  email_chars_max: 320,
  /** `first_name` and `last_name` of a member. */
  person_name_chars_max: 200,
  profile_picture_url_chars_max: 2048,
  /** `role` of a member. */
  role_chars_max: 120,
  team_description_chars_max: 2000,
  /** Teams of an organization. */
  teams_max: 1000,
  /** People of a team. Deleting the team changes them all in one commit. */
  team_members_max: 1000,
  legacy_room_id_chars_max: 160,

  // Credentials and credits (contract/07, contract/04)

  /** Active API keys of an organization (contract/07#key-limit). */
  api_keys_max: 100,
  /** How long the previous secret of a rolled key stays valid, in seconds. */
  rolled_secret_seconds_default: 86_400,
  rolled_secret_seconds_max: 604_800,
  /** Lifetime of an access token. */
  access_token_ms: hour_ms,
  /** Longest lifetime that the operator can give a credential: 100 years. */
  credential_life_seconds_max: 3_155_760_000,
  /** How long a valid credential is cached (contract/07#expiry-and-revocation). */
  credential_cache_ms: second_ms,
  /** Cached credentials of a process. */
  credentials_kept_max: 10_000,
  /** Interval between writes of the last uses of credentials. */
  credential_uses_ms: 5 * second_ms,
  /** Answers of a credential beyond its credits in a UTC minute (contract/04#beyond-the-credits). */
  beyond_credits_max: 60,
  /** Smallest finite credit window: an export can still run. */
  credits_window_min: 500,
  /** Credits that a process takes from a window at once: at most this many… */
  credits_block_max: 10_000,
  /** …and at most this fraction (one in 16) of what is left. */
  credits_block_share: 16,
  /** Unused credits are returned after this time… */
  credits_idle_ms: 2 * second_ms,
  /** …or after this one, if several processes share a database. */
  credits_idle_shared_ms: 40,
  /** Windows without limit are added to their rows at this interval. */
  credits_count_ms: 5 * second_ms,
  /** An unused window is dropped from memory after this time. */
  credits_forget_ms: 10 * minute_ms,

  /** Lifetime of a console session without use. */
  session_idle_ms: 12 * hour_ms,
  /** Window in which failed sign-ins are counted. */
  sign_in_window_ms: 15 * minute_ms,

  // Idempotency (contract/03)

  /** Lifetime of an idempotency record. */
  idempotency_window_ms: day_ms,
  /** Lease of the claim of an operation with an outside call. */
  idempotency_lease_ms: minute_ms,
  /** Events shown by a dry run. */
  dry_run_events_max: 100,

  // Logs and caches (contract/09)

  /** Age of a cached task count (contract/06#task-count). */
  task_count_cache_ms: minute_ms,
  /** Cached task counts of a process. */
  task_counts_max: 10_000,
  request_log_retention_ms: 7 * day_ms,
  /** `user_agent` in the request log. */
  user_agent_chars_max: 200,
  event_retention_ms: 30 * day_ms,
  /** Clocks of processes may differ by this time. */
  clocks_apart_ms: 10 * minute_ms,
  /** Batches that a scan of the request log reads at once. */
  request_log_scan_batches: 20,
  /** Entries that one page of the list may look at. */
  request_log_scanned_max: 10_000,
  /** Another process may not have written an entry younger than this… */
  request_log_fresh_ms: 2 * second_ms,
  /** …so it is looked for again for this time… */
  request_log_wait_ms: 500,
  /** …with this pause. */
  request_log_pause_ms: 50,
  /** Log entries are written at this interval… */
  request_log_flush_ms: 200,
  /** …or as soon as they fill this number of rows. */
  request_log_flush_batches: 16,
  /** Log entries in one transaction; each transaction waits for the disk, and a row holds fewer entries. */
  request_log_commit_max: 5000,
  /** Log entries in one row. */
  request_log_batch_max: 1000,
  /** A row of this size is full. Longer texts would be collected with V8's old generation. */
  request_log_batch_bytes: 60 * KiB,
  /** Row buffers kept for reuse. */
  request_log_spare_max: 32,
  /** Entries whose ids are further apart in time do not share a row. */
  request_log_span_ms: second_ms,
  /** Log entries waiting to be written; beyond this the oldest are dropped. */
  request_log_waiting_max: 100_000,
  logged_path_chars_max: 1000,
  /** Event ids in one log entry. */
  logged_events_max: 100,
  /** Audit entries read at once when the whole chain is verified. */
  audit_batch_max: 1000,
  /** Organizations that a command names when it was given an unknown one. */
  suggested_organizations_max: 5,

  // Webhooks (contract/11)

  /** One delivery attempt in total. */
  webhook_attempt_ms: 15 * second_ms,
  /** Connecting within an attempt. */
  webhook_connect_ms: 5 * second_ms,
  webhook_verification_ms: 10 * second_ms,
  /** Bytes of a response that are read. */
  webhook_response_bytes_max: 64 * KiB,
  /** Bytes of a response that are stored. */
  webhook_excerpt_bytes_max: KiB,
  /** Endpoints of a realm. */
  webhook_endpoints_max: 500,
  /** Entries of `event_types`. */
  webhook_event_types_max: 100,
  /** Concurrent deliveries to one endpoint. */
  webhook_in_flight_max: 5,
  /** Waits vary by up to this percentage. */
  webhook_jitter_percent: 20,
  /** An endpoint is disabled after failing for this time without a success… */
  webhook_failing_ms: 5 * day_ms,
  /** …if its first and last failures are at least this far apart. */
  webhook_failing_apart_ms: 12 * hour_ms,
  /** How long the previous signing secret still signs. */
  secret_overlap_ms: day_ms,
  /** How far back missed events can be recovered. */
  webhook_recovery_ms: 14 * day_ms,
  /** Events that one recovery looks at, and deliveries that it schedules. */
  webhook_recovery_events_max: 20_000,
  webhook_recovery_deliveries_max: 2000,
  /** Attempts shown with an event. */
  event_attempts_max: 50,

  // Event stream (contract/12)

  /** Interval between checks of a stream's consumer. */
  stream_watch_ms: 5 * second_ms,
  /** Interval between polls of the log for events of other processes. */
  event_poll_ms: 500,
  /** Events read at once. */
  event_batch_max: 200,
  /** Interval between keep-alive comments. */
  stream_comment_ms: 15 * second_ms,
  /** Interval between checks of the credential. */
  stream_credential_check_ms: 30 * second_ms,
  /** `retry` of the stream: the client's pause before it reconnects. */
  stream_retry_ms: 3 * second_ms,
  /** Lifetime of a stream. */
  stream_ms: hour_ms,
  /** Streams of one credential. */
  streams_max: 5,
  /** How long a consumer may stay blocked. */
  stream_blocked_ms: 30 * second_ms,
  /** Unsent bytes of a stream. */
  stream_behind_bytes_max: MiB,

  // Exports (contract/13)

  /** Lifetime of a file. */
  export_file_ms: 7 * day_ms,
  /** Lifetime of a download URL. */
  export_url_ms: hour_ms,

  // Files (contract/14#file)

  file_name_chars_max: 255,
  /** Files of a task or comment, and of an expense. */
  attachments_max: 50,
  receipts_max: 20,
  /** Objects that one file is attached to. Deleting the file changes them all in one commit. */
  file_objects_max: 1000,
  /** Lifetime of a URL of content. */
  file_url_ms: hour_ms,

  // Boards (contract/14#board)

  board_import_bytes_max: 10 * MiB,
  /** Elements of a file, without deleted ones. */
  board_elements_max: 5000,
  /** The id of an element, and each word of its style. */
  board_element_text_chars_max: 200,
  /** Absolute value of a coordinate or length. */
  board_coordinate_max: 1e9,
  board_asset_bytes_max: 5 * MiB,
  board_link_chars_max: 2048,
  /** How long a cursor can page through a superseded snapshot. */
  board_cursor_ms: 15 * minute_ms,
  /** Superseded snapshots and unreferenced images are kept for this time, which is longer than a cursor lives. */
  board_superseded_kept_ms: 30 * minute_ms,
} as const
