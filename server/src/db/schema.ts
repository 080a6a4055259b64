/**
 * The tables as Kysely sees them: one interface a table, one spelling for column, field and document.
 * Invariants: times are integer milliseconds, flags are 0 or 1, JSON is text. Every table begins with its
 * tenant: `realm` (an organization's live or test data set) or, for what both realms share, `organization`.
 */

/** What every resource row of a realm carries. `deleted_at` marks a tombstone, which is kept. */
export interface ResourceRow {
  realm: number
  id: string
  created: number
  updated: number
  revision: number
  deleted_at: number | null
}

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

export interface WorkspaceRow extends ResourceRow {
  title: string
  key: string
  status: string
  default_currency: string
  last_number: number
}

export interface PortfolioRow extends ResourceRow {
  workspace: string
  name: string
  description: string | null
  status: string
  archived_at: number | null
}

export interface ProjectRow extends ResourceRow {
  workspace: string
  portfolio: string | null
  name: string
  description: string | null
  status: string
  archived_at: number | null
  duplicated_from: string | null
}

export interface ColumnRow extends ResourceRow {
  workspace: string
  project: string
  name: string
  position: number
  color: string | null
}

/** `title_folded` and `description_folded` are the lower-cased texts that substring search reads. */
export interface TaskRow extends ResourceRow {
  workspace: string
  number: number
  key: string
  project: string | null
  column: string | null
  title: string
  title_folded: string
  description: string | null
  description_folded: string | null
  status: string
  priority: string
  priority_rank: number
  assignee: string | null
  creator_type: string
  creator_id: string
  due_at: number | null
  completed_at: number | null
  is_archived: number
  labels: string
  custom_fields: string
  position: number
  template: string | null
}

export interface CommentRow extends ResourceRow {
  workspace: string
  task: string
  body: string
  author_type: string
  author_id: string
  edited_at: number | null
}

export interface DependencyRow extends ResourceRow {
  workspace: string
  project: string
  from: string
  to: string
  kind: string
  creator_type: string
  creator_id: string
}

export interface TimeEntryRow extends ResourceRow {
  workspace: string
  task: string | null
  project: string | null
  user: string
  started_at: number
  ended_at: number | null
  duration_ms: number | null
  offset_ms: number
  status: string
  note: string | null
  billable: number
  source: string
}

export interface SavedFilterRow extends ResourceRow {
  workspace: string
  project: string | null
  name: string
  description: string | null
  filter: string
  sort: string | null
  visibility: string
  created_by: string
}

export interface TaskTemplateRow extends ResourceRow {
  workspace: string
  project: string | null
  name: string
  description: string | null
  defaults: string
  overridable: string
}

export interface ExpenseRow extends ResourceRow {
  workspace: string
  project: string | null
  category: string
  expense_date: string
  currency: string
  gross_amount_minor: number
  net_amount_minor: number | null
  tax_amount_minor: number | null
  tax_rate_bp: number | null
  vendor: string | null
  vendor_vat_id: string | null
  invoice_number: string | null
  payment_method: string | null
  business_purpose: string | null
  notes: string | null
  extra_fields: string
  status: string
  creator_type: string
  creator_id: string
}

export interface BillingRateRow extends ResourceRow {
  workspace: string
  scope: string
  target: string | null
  currency: string
  amount_minor: number
}

export interface InvoiceDraftRow extends ResourceRow {
  workspace: string
  project: string
  status: string
  currency: string
  net_amount_minor: number
  tax_amount_minor: number
  gross_amount_minor: number
  finalized_at: number | null
  voided_at: number | null
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
  workers: WorkerRow
}

export type TableName = keyof Schema
