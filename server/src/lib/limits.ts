/** Every limit by its name, unit last. What an operator may change is a default here and read from `config.ts`. */

import { automation_limits } from './automation-limits.ts'
import { automation_run_limits } from './automation-run-limits.ts'
import { client_limits } from './client-limits.ts'
import { console_limits } from './console-limits.ts'
import { mcp_limits } from './mcp-limits.ts'
import { process_limits } from './process-limits.ts'

const second_ms = 1000
const minute_ms = 60 * second_ms
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms

const KiB = 1024
const MiB = 1024 * KiB

export const limits = {
  // Requests

  /** Request body; decisions §5. */
  body_bytes_max: MiB,
  /** Arrays and objects inside each other in a body; decisions §5. */
  json_depth_max: 32,
  /** Keys of one object in a body: no operation takes nearly as many. */
  json_keys_max: 1000,
  /** Arrays and objects in a body. */
  json_containers_max: 20_000,
  /** Request target: path and query; decisions §5. */
  url_bytes_max: 8 * KiB,
  /** All request headers together; decisions §5. */
  header_bytes_max: 16 * KiB,
  /** Any public id; contract §1. */
  id_chars_max: 160,
  /** Idempotency-Key after unquoting; decisions §3. */
  idempotency_key_chars_max: 255,
  /** Any amount, duration or count: the largest integer that JSON readers agree on; contract §2.2, decisions §15. */
  safe_integer_max: Number.MAX_SAFE_INTEGER,

  // Lists

  /** `limit`; contract §8. */
  page_limit_max: 100,
  /** `limit` when it is not sent; decisions §6. */
  page_limit_default: 20,
  /** `next_cursor`; contract §8. */
  cursor_chars_max: 1024,
  /** `next_cursor` of a list with ID cursors, sorted ones too; decisions §6. */
  id_cursor_chars_max: 160,
  /** Names in `fields`; decisions §6. */
  fields_max: 50,
  /** Names in `expand`; decisions §6. */
  expand_max: 10,
  /** Values of a repeated query parameter; decisions §6. */
  repeated_values_max: 100,
  /** Keys in `sort`; decisions §6. */
  sort_keys_max: 2,
  /** `filter` expression; decisions §6. */
  filter_chars_max: 2048,
  /** Comparisons in a `filter`; decisions §6. */
  filter_comparisons_max: 50,
  /** Parentheses and negations inside each other in a `filter`; decisions §6. */
  filter_depth_max: 8,

  // Bulk sizes

  /** Tasks in a batch; contract §8. */
  batch_tasks_max: 100,
  /** Columns in a reorder; contract §8. */
  reorder_columns_max: 100,
  /** Columns and tasks of a project to duplicate; contract §8, decisions §15. */
  duplicate_objects_max: 99,

  // Values

  /** `title` and `name`; decisions §1. */
  title_chars_max: 500,
  /** `description`, `notes` and the `body` of a comment; decisions §1. */
  text_chars_max: 65_536,
  /** `note` and `reason`; decisions §1. */
  note_chars_max: 2000,
  /** One label; decisions §1. */
  label_chars_max: 80,
  /** Labels of a task; decisions §1. */
  labels_max: 50,
  /** Keys of `custom_fields` and `extra_fields`; decisions §1. */
  custom_fields_max: 50,
  /** One key of `custom_fields`; decisions §1. */
  custom_field_key_chars_max: 40,
  /** One string in `custom_fields`; decisions §1. */
  custom_field_chars_max: 2000,
  /** Strings in an array in `custom_fields`; decisions §1. */
  custom_field_items_max: 50,
  /** Of a label or a custom field's value, what an index of them keeps; the rest is compared in the task. */
  term_chars_max: 100,
  /** `due_in_seconds` of a task template: a hundred years. */
  due_in_seconds_max: 100 * 365 * 86_400,
  /** Any time that a client sets, in Unix seconds: as far as JavaScript's Date reaches, so that milliseconds are exact. */
  moment_seconds_max: 8_640_000_000_000,
  /** `tax_rate_bp`, in hundredths of a per cent; decisions §1. */
  tax_rate_bp_max: 100_000,
  /** Distance between the positions of columns and tasks that are given none; decisions §15. */
  position_step: 1024,
  /** Largest position, either way from 0: whole numbers and halves of them are still exact. */
  position_max: 1e15,

  // Organization

  /** `name` of an organization; contract §8. */
  organization_name_chars_max: 500,
  /** Domains of an organization; contract §8. */
  domains_max: 100,
  /** One domain; contract §8. */
  domain_chars_max: 253,
  /** `email` of a member; contract §8. */
  email_chars_max: 320,
  /** `first_name` and `last_name` of a member; contract §8. */
  person_name_chars_max: 200,
  /** `profile_picture_url` of a member; contract §8. */
  profile_picture_url_chars_max: 2048,
  /** `role` of a member; contract §8. */
  role_chars_max: 120,
  /** `description` of a team; contract §8. */
  team_description_chars_max: 2000,

  // Credentials and credits

  /** Active API keys of an organization; decisions §7. */
  api_keys_max: 100,
  /** Life of an access token; decisions §7. */
  access_token_ms: hour_ms,
  /** Longest life that the operator can give a credential: a hundred years. */
  credential_life_seconds_max: 3_155_760_000,
  /** How long a credential found valid is believed without asking; decisions §7. */
  credential_cache_ms: second_ms,
  /** Smallest finite credit window, so that an export can run; decisions §4. */
  credits_window_min: 500,

  // Idempotency

  /** How long a key stands for its first request; contract §8, decisions §3. */
  idempotency_window_ms: day_ms,
  /** How long the claim of an operation with an outside call holds; decisions §3. */
  idempotency_lease_ms: minute_ms,

  /** Events that a dry run shows. */
  dry_run_events_max: 100,

  // Caches and retention

  /** Age of a task count; contract §8. */
  task_count_cache_ms: minute_ms,
  /** Request log; contract §8, decisions §9. */
  request_log_retention_ms: 7 * day_ms,
  /** `user_agent` in the request log; decisions §9. */
  user_agent_chars_max: 200,
  /** Events; decisions §10. */
  event_retention_ms: 30 * day_ms,

  // Webhooks

  /** `url` of an endpoint; decisions §11. */
  webhook_url_chars_max: 2048,
  /** One delivery attempt in all; decisions §11. */
  webhook_attempt_ms: 15 * second_ms,
  /** Connecting within an attempt; decisions §11. */
  webhook_connect_ms: 5 * second_ms,
  /** The verification request; decisions §11. */
  webhook_verification_ms: 10 * second_ms,
  /** Of an answer that is read; decisions §11. */
  webhook_response_bytes_max: 64 * KiB,
  /** Of an answer that is kept; decisions §11. */
  webhook_excerpt_bytes_max: KiB,
  /** Endpoints of a realm. */
  webhook_endpoints_max: 500,
  /** Entries of `event_types`. */
  webhook_event_types_max: 100,
  /** Deliveries under way to one endpoint; decisions §11. */
  webhook_in_flight_max: 5,
  /** Waits are lengthened or shortened by up to this share; decisions §11. */
  webhook_jitter_percent: 20,
  /** How long nothing but failures lets an endpoint live; decisions §11. */
  webhook_failing_ms: 5 * day_ms,
  /** How far apart the first and last of them lie; decisions §11. */
  webhook_failing_apart_ms: 12 * hour_ms,
  /** How long the previous signing secret still signs; contract §8. */
  secret_overlap_ms: day_ms,
  /** Attempts shown with an event; decisions §11. */
  event_attempts_max: 50,

  // Outgoing requests

  /** What cannot be reached is answered so late at the earliest, so that its reason does not show. */
  egress_unreachable_ms: second_ms,
  /** A connection waits so long for the next request of its owner to the same place; */
  egress_kept_ms: 4 * second_ms,
  /** none is kept while a process has more open. */
  egress_kept_max: 2000,
  /** One question to a name server, and how often it is asked. */
  dns_try_ms: 2 * second_ms,
  dns_tries_max: 2,

  // Event stream

  /** How often a stream's consumer is looked at. */
  stream_watch_ms: 5 * second_ms,
  /** How often the log is looked at for events of other processes. */
  event_poll_ms: 500,
  /** Events read at once. */
  event_batch_max: 200,

  /** Between comments that keep the connection open; decisions §12. */
  stream_comment_ms: 15 * second_ms,
  /** Between checks of the credential; decisions §12. */
  stream_credential_check_ms: 30 * second_ms,
  /** What the client is told to wait before it comes back; decisions §12. */
  stream_retry_ms: 3 * second_ms,
  /** Life of a stream; decisions §12. */
  stream_ms: hour_ms,
  /** Streams of one credential; decisions §12. */
  streams_max: 5,
  /** How long a consumer may stay blocked; decisions §12. */
  stream_blocked_ms: 30 * second_ms,
  /** How far a consumer may fall behind; decisions §12. */
  stream_behind_bytes_max: MiB,

  // Exports

  /** Life of an export's file; decisions §13. */
  export_file_ms: 7 * day_ms,
  /** Life of a download URL; contract §8. */
  export_url_ms: hour_ms,
  /** Rows read at once, and characters written at once. */
  export_page_rows: 500,
  export_chunk_chars: MiB,
  /** How long a process may be silent before another takes the export over. */
  export_lease_ms: 15 * second_ms,
  /** Tries before an export fails; decisions §13. */
  export_tries_max: 3,

  // Boards

  /** A file to import. */
  board_import_bytes_max: 10 * MiB,
  /** Elements of a file that are not deleted. */
  board_elements_max: 5000,
  /** The id of an element, and any word of its style. */
  board_element_text_chars_max: 200,
  /** A coordinate or length, either way from 0. */
  board_coordinate_max: 1e9,
  /** One image. */
  board_asset_bytes_max: 5 * MiB,
  /** A link of an element. */
  board_link_chars_max: 2048,
  /** `legacy_room_id` of a board. */
  legacy_room_id_chars_max: 160,
  /** How long a cursor goes on through a snapshot that was superseded. */
  board_cursor_ms: 15 * minute_ms,
  /** Superseded snapshots, and images that no item shows, stay so long: longer than any cursor. */
  board_superseded_kept_ms: 30 * minute_ms,

  // Automations

  /** Nodes of a graph; decisions §16. */
  automation_nodes_max: 100,
  /** Steps shown with a run; decisions §16. */
  automation_run_steps_max: 200,
  /** Flows that may have caused each other; decisions §16. */
  automation_chain_max: 5,
  /** Life of a preview token; decisions §16. */
  preview_token_ms: 15 * minute_ms,

  ...automation_limits,

  ...automation_run_limits,

  ...client_limits,

  ...console_limits,

  ...mcp_limits,

  ...process_limits,
} as const
