/**
 * The tables as Kysely sees them: one interface a table, one spelling for column, field and document.
 * Invariants: times are integer milliseconds, flags are 0 or 1, JSON is text. Every table begins with its
 * tenant: `realm` (an organization's live or test data set) or, for what both realms share, `organization`.
 */

import type { ResourceRow } from './rows.ts'
import type {
  BillingRateRow,
  ColumnRow,
  CommentRow,
  DependencyRow,
  ExpenseRow,
  InvoiceDraftRow,
  PortfolioRow,
  ProjectRow,
  SavedFilterRow,
  TaskRow,
  TaskTemplateRow,
  TimeEntryRow,
  WorkspaceRow,
} from './rows-work.ts'

export type { ResourceRow } from './rows.ts'
export type {
  BillingRateRow,
  ColumnRow,
  CommentRow,
  DependencyRow,
  ExpenseRow,
  InvoiceDraftRow,
  PortfolioRow,
  ProjectRow,
  SavedFilterRow,
  TaskRow,
  TaskTemplateRow,
  TimeEntryRow,
  WorkspaceRow,
} from './rows-work.ts'

export interface OrganizationRow {
  organization: string
  name: string
  plan: string | null
  domains: string
  service_user: string
  created: number
  updated: number
}

/** The two data sets of an organization; `event_sequence` is the last sequence of its event log. */
export interface RealmRow {
  realm: number
  organization: string
  mode: string
  event_sequence: number
}

/** The end of an organization's audit chain. */
export interface AuditHeadRow {
  organization: string
  sequence: number
  previous_hash: string
  hash: string
}

export interface MemberRow {
  organization: string
  id: string
  created: number
  updated: number
  user: string
  email: string | null
  first_name: string | null
  last_name: string | null
  profile_picture_url: string | null
  role: string | null
  status: string
}

export interface TeamRow {
  organization: string
  id: string
  created: number
  updated: number
  name: string
  description: string | null
}

/** API keys and access tokens. A deleted one keeps its id only; its digest is emptied. */
export interface CredentialRow extends ResourceRow {
  organization: string
  kind: string
  name: string
  hint: string
  last4: string
  digest: string | null
  scopes: string
  owner_type: string
  owner_id: string
  mode: string
  api_version: string
  expires_at: number | null
  last_used_at: number | null
}

export interface CreditWindowRow {
  organization: string
  subject: string
  kind: string
  starts_at: number
  used: number
}

export interface IdempotencyRow {
  realm: number
  credential: string
  key: string
  fingerprint: string
  state: string
  status: number
  body: string
  sealed: number
  request: string
  lease_until: number | null
  created: number
}

export interface EventRow {
  realm: number
  sequence: number
  id: string
  type: string
  created: number
  organization: string
  workspace: string | null
  object: string
  object_id: string
  actor_type: string
  actor_id: string
  credential: string | null
  request: string | null
  idempotency_key: string | null
  commit_id: string
  commit_index: number
  commit_size: number
  causes: string | null
  data: string
}

export interface AuditRow {
  organization: string
  sequence: number
  id: string
  realm: number
  created: number
  action: string
  actor: string
  target: string
  room: string | null
  entry: string
  previous_hash: string
  hash: string
}

export interface RequestLogRow {
  realm: number
  id: string
  created: number
  entry: string
}

/** An export; its file is the chunks of the attempt that completed. */
export interface ExportJobRow extends ResourceRow {
  organization: string
  mode: string
  workspace: string | null
  parameters: string
  status: string
  row_count: number | null
  size_bytes: number | null
  sha256: string | null
  started_at: number | null
  completed_at: number | null
  expires_at: number | null
  error: string | null
  requested_by_type: string
  requested_by_id: string
  /** Numbers the files; every claim begins one. */
  attempt: number
  /** Claims that were not given back in good order. */
  tries: number
  lease_owner: string | null
  lease_until: number | null
}

export interface ExportChunkRow {
  realm: number
  job: string
  attempt: number
  number: number
  offset_bytes: number
  size_bytes: number
  lines: string
}

/** `snapshot_revision` is 0 before the first snapshot. */
export interface BoardRow extends ResourceRow {
  name: string
  description: string | null
  owner: string
  status: string
  archived_at: number | null
  legacy_room_id: string | null
  member_count: number
  item_count: number
  snapshot_revision: number
  snapshot_published_at: number | null
}

export interface BoardMemberRow extends ResourceRow {
  board: string
  user: string
  role: string
}

/** A published revision of a board's items; `superseded_at` is when the next one took its place. */
export interface BoardSnapshotRow {
  realm: number
  board: string
  revision: number
  published_at: number
  superseded_at: number | null
}

/** Which item an element of a board's source is, for ever: an element that comes back is the item that it was. */
export interface BoardElementRow {
  realm: number
  board: string
  element: string
  item: string
  created: number
}

/** What an item was from the revision `since_revision` up to, and without, `until_revision`; null: still is. */
export interface BoardItemRow {
  realm: number
  board: string
  id: string
  since_revision: number
  until_revision: number | null
  superseded_at: number | null
  created: number
  updated: number
  /** Its place in the drawing order, from 0. */
  place: number
  /** The SHA-256 of the asset that it shows. */
  asset: string | null
  content: string
}

/** An image's bytes in base64, once a realm. `offered_at`: when an import last brought them. */
export interface BoardAssetRow {
  realm: number
  sha256: string
  media_type: string
  size_bytes: number
  offered_at: number
  bytes: string
}

/**
 * `secret` and `previous_secret` are sealed. `failing_…` tell since when, and about how old events, there was nothing but
 * failure. Events up to the sequence `active_after` are none of its business. `next_due_at`: when there is something to
 * send, not set while there is nothing or the endpoint is not enabled.
 */
export interface WebhookEndpointRow extends ResourceRow {
  organization: string
  mode: string
  url: string
  event_types: string
  exclude_own_events: number
  status: string
  status_reason: string | null
  api_version: string
  /** The credential that created it. */
  credential: string
  secret: string
  previous_secret: string | null
  previous_secret_expires_at: number | null
  verified_at: number
  last_success_at: number | null
  last_failure_at: number | null
  consecutive_failures: number
  failing_since: number | null
  failing_event_first_at: number | null
  failing_event_last_at: number | null
  active_after: number
  next_due_at: number | null
  lease_owner: string | null
  lease_until: number | null
}

/** One event for one endpoint. Resending and replaying begin another `cycle`; `attempts` counts over all of them. */
export interface WebhookDeliveryRow {
  realm: number
  id: string
  created: number
  event: string
  sequence: number
  event_created: number
  endpoint: string
  status: string
  trigger: string
  cycle: number
  cycle_attempts: number
  attempts: number
  next_attempt_at: number | null
}

export interface WebhookAttemptRow {
  realm: number
  delivery: string
  number: number
  event_created: number
  created: number
  duration_ms: number
  http_status: number | null
  error_category: string | null
  response_excerpt: string | null
  trigger: string
}

/** How far a realm's event log was fanned out; only realms with endpoints have one. */
export interface WebhookPositionRow {
  realm: number
  organization: string
  mode: string
  sequence: number
  /** Never goes back, so that what is due first stands earlier in the log. */
  fanned_out_at: number
}

export interface WorkerRow {
  name: string
  last_started_at: number | null
  last_ended_at: number | null
  last_done: number
  last_failed: number
  last_error: string | null
  lease_until: number | null
  lease_owner: string | null
}

export interface Schema {
  organizations: OrganizationRow
  realms: RealmRow
  audit_heads: AuditHeadRow
  members: MemberRow
  teams: TeamRow
  credentials: CredentialRow
  credit_windows: CreditWindowRow
  idempotency: IdempotencyRow
  events: EventRow
  audit_entries: AuditRow
  request_logs: RequestLogRow
  workspaces: WorkspaceRow
  portfolios: PortfolioRow
  projects: ProjectRow
  columns: ColumnRow
  tasks: TaskRow
  comments: CommentRow
  dependencies: DependencyRow
  time_entries: TimeEntryRow
  saved_filters: SavedFilterRow
  task_templates: TaskTemplateRow
  expenses: ExpenseRow
  billing_rates: BillingRateRow
  invoice_drafts: InvoiceDraftRow
  export_jobs: ExportJobRow
  export_chunks: ExportChunkRow
  boards: BoardRow
  board_members: BoardMemberRow
  board_snapshots: BoardSnapshotRow
  board_elements: BoardElementRow
  board_items: BoardItemRow
  board_assets: BoardAssetRow
  webhook_endpoints: WebhookEndpointRow
  webhook_deliveries: WebhookDeliveryRow
  webhook_attempts: WebhookAttemptRow
  webhook_positions: WebhookPositionRow
  workers: WorkerRow
}

export type TableName = keyof Schema
