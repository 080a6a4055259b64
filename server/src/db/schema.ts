/**
 * The tables as Kysely sees them: one interface per table, one spelling for column, field and document. Invariants:
 * times are integer milliseconds, flags are 0 or 1, JSON is text. Every table begins with its tenant: `realm` (an
 * organization's live or test data) or, for what both realms share, `organization`. Accounts and their means of sign-in
 * belong to the installation.
 */

import type { AutomationTables } from './rows/automations.ts'
import type {
  BoardAssetRow,
  BoardCommentRow,
  BoardElementRow,
  BoardGuestRow,
  BoardImageRow,
  BoardItemRow,
  BoardLinkRow,
  BoardMemberRow,
  BoardOperationRow,
  BoardRow,
  BoardSceneRow,
  BoardSnapshotRow,
  BoardVersionRow,
} from './rows/boards.ts'
import type { ConsoleTables } from './rows/console.ts'
import type { FileAttachmentRow, FileContentRow, FileRow, FileTotalRow } from './rows/files.ts'
import type {
  GuestProjectRow,
  InboundMailRow,
  InboxPositionRow,
  MailRow,
  NotificationRow,
  PreferenceRow,
  PushKeyRow,
  PushRow,
  PushSubscriptionRow,
  WatchRow,
} from './rows/people.ts'
import type { ResourceRow } from './rows/row.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow, WebhookEndpointRow, WebhookPositionRow } from './rows/webhooks.ts'
import type {
  BillingRateRow,
  ColumnRow,
  CommentRow,
  CustomFieldRow,
  DependencyRow,
  ExpenseRow,
  ImportedTaskRow,
  InvoiceDraftRow,
  PortfolioRow,
  ProjectRow,
  SavedFilterRow,
  SearchDocumentRow,
  SearchPositionRow,
  TaskRow,
  TaskTemplateRow,
  TaskTermRow,
  TextDocumentRow,
  TextPositionRow,
  TimeEntryRow,
  WorkspaceRow,
} from './rows/work.ts'

export type * from './rows/automations.ts'
export type * from './rows/boards.ts'
export type * from './rows/console.ts'
export type * from './rows/files.ts'
export type * from './rows/people.ts'

export type * from './rows/webhooks.ts'
export type * from './rows/work.ts'

export interface OrganizationRow {
  organization: string
  name: string
  plan: string | null
  domains: string
  service_user: string
  created: number
  updated: number
  /** 1: people need a second factor in the console. */
  second_factor_required: number
}

/** The two data sets of an organization. */
interface RealmRow {
  realm: number
  organization: string
  mode: string
}

/** The last sequence of a realm's event log. */
interface EventHeadRow {
  realm: number
  sequence: number
}

/** The end of an organization's audit chain. */
interface AuditHeadRow {
  /** The organization's live realm. */
  home: number
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
  /** The id that an identity provider has for it. */
  external_id: string | null
  deleted_at: number | null
}

/** A person of a team. */
export interface TeamMemberRow {
  organization: string
  id: string
  created: number
  updated: number
  deleted_at: number | null
  team: string
  user: string
}

/**
 * API keys and access tokens. A deleted one keeps only its id; its digests are emptied. `previous_digest` is of the secret
 * before the last roll, which is valid until `previous_expires_at`.
 */
export interface CredentialRow extends ResourceRow {
  organization: string
  kind: string
  name: string
  hint: string
  last4: string
  digest: string | null
  previous_digest: string | null
  previous_expires_at: number | null
  scopes: string
  owner_type: string
  owner_id: string
  mode: string
  api_version: string
  expires_at: number | null
  /** Before `credential_uses`. */
  last_used_at: number | null
  oauth_grant: string | null
}

/** When a credential was last used. */
interface CredentialUseRow {
  realm: number
  id: string
  last_used_at: number
}

interface CreditWindowRow {
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

/** Until when events of a realm may be lost, in milliseconds. */
interface EventLossRow {
  realm: number
  lost_until: number
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
  /** Of the other columns; null for events from before checksums. */
  checksum: number | null
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

/** An export. Its file is the chunks of the attempt that completed. */
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
  /** The number of the file; every claim starts a new one. */
  attempt: number
  /** Claims that did not end regularly. */
  tries: number
  lease_owner: string | null
  lease_until: number | null
}

interface ExportChunkRow {
  realm: number
  job: string
  attempt: number
  number: number
  offset_bytes: number
  size_bytes: number
  lines: string
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

/** The secret key that the database belongs to; one row. */
export interface SecretKeyRow {
  id: string
  fingerprint: string
  /** Subkeys of former secret keys, sealed; null before the first rotation. */
  carried: string | null
  rotated_at: number | null
  /** The process that has begun a rotation; null without one. */
  rotating: string | null
}

/** Of PostgreSQL: the hashes of a document's words as an array. Not under row-level security; `shard` is the realm. */
interface SearchHashesRow {
  document: number
  shard: number
  hashes: string
}

/** Of SQLite, a full-text index by document. */
interface SearchWordsRow {
  rowid: number
  words: string
}

/** By `rowid` on SQLite, a full-text index; by `document` and `shard`, the realm, on PostgreSQL, without row-level security. */
interface TextGramsRow {
  rowid: number | null
  document: number | null
  shard: number | null
  grams: string
}

export interface Schema extends AutomationTables, ConsoleTables {
  organizations: OrganizationRow
  realms: RealmRow
  audit_heads: AuditHeadRow
  event_heads: EventHeadRow
  members: MemberRow
  teams: TeamRow
  team_members: TeamMemberRow
  credentials: CredentialRow
  credential_uses: CredentialUseRow
  credit_windows: CreditWindowRow
  idempotency: IdempotencyRow
  events: EventRow
  audit_entries: AuditRow
  request_logs: RequestLogRow
  workspaces: WorkspaceRow
  portfolios: PortfolioRow
  projects: ProjectRow
  columns: ColumnRow
  custom_fields: CustomFieldRow
  tasks: TaskRow
  task_terms: TaskTermRow
  search_documents: SearchDocumentRow
  search_hashes: SearchHashesRow
  search_words: SearchWordsRow
  search_positions: SearchPositionRow
  text_documents: TextDocumentRow
  text_grams: TextGramsRow
  text_positions: TextPositionRow
  imported_tasks: ImportedTaskRow
  comments: CommentRow
  dependencies: DependencyRow
  time_entries: TimeEntryRow
  saved_filters: SavedFilterRow
  task_templates: TaskTemplateRow
  expenses: ExpenseRow
  billing_rates: BillingRateRow
  invoice_drafts: InvoiceDraftRow
  files: FileRow
  file_contents: FileContentRow
  file_attachments: FileAttachmentRow
  file_totals: FileTotalRow
  export_jobs: ExportJobRow
  export_chunks: ExportChunkRow
  boards: BoardRow
  board_members: BoardMemberRow
  board_comments: BoardCommentRow
  board_links: BoardLinkRow
  board_guests: BoardGuestRow
  board_snapshots: BoardSnapshotRow
  board_elements: BoardElementRow
  board_items: BoardItemRow
  board_assets: BoardAssetRow
  board_scenes: BoardSceneRow
  board_operations: BoardOperationRow
  board_versions: BoardVersionRow
  board_images: BoardImageRow
  webhook_endpoints: WebhookEndpointRow
  webhook_deliveries: WebhookDeliveryRow
  webhook_attempts: WebhookAttemptRow
  webhook_positions: WebhookPositionRow
  event_losses: EventLossRow
  notifications: NotificationRow
  watches: WatchRow
  inbox_positions: InboxPositionRow
  preferences: PreferenceRow
  guest_projects: GuestProjectRow
  mails: MailRow
  inbound_mails: InboundMailRow
  push_keys: PushKeyRow
  push_subscriptions: PushSubscriptionRow
  pushes: PushRow
  workers: WorkerRow
  secret_key: SecretKeyRow
}

export type TableName = keyof Schema
