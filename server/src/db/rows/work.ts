/** The rows of work management and money. */
import type { ResourceRow } from './row.ts'

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
  status: string | null
}

/** `options` is a JSON list. */
export interface CustomFieldRow extends ResourceRow {
  workspace: string
  key: string
  name: string
  type: string
  options: string
  position: number
}

/** `title_folded` and `description_folded` are the lower-case texts that substring search reads. */
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
  mentions: string
  status: string
  priority: string
  priority_rank: number
  assignee: string | null
  creator_type: string
  creator_id: string
  start_at: number | null
  due_at: number | null
  completed_at: number | null
  is_archived: number
  labels: string
  custom_fields: string
  attachments: string
  parent: string | null
  subtask_count: number
  subtask_done_count: number
  position: number
  template: string | null
}

/** One term that a task can be found by (`tasks/terms.ts`). */
export interface TaskTermRow {
  realm: number
  term: string
  task: string
}

/** How far the texts of a realm's tasks are indexed (`tasks/shared/text-index.ts`). */
export interface TextPositionRow {
  realm: number
  sequence: number
  /** The task up to which the first walk has come; null after it. */
  walked: string | null
  looked_at: number
}

/** The document that stands for a task in the index of texts. */
export interface TextDocumentRow {
  realm: number
  task: string
  document: number
  /** Hash of the indexed texts. */
  digest: string
}

/** How far the objects of a realm are indexed for search (`search/follow.ts`). */
export interface SearchPositionRow {
  realm: number
  sequence: number
  /** The event at `sequence`, if it is known. */
  event: string | null
  /** How far the walk over all objects has come; null after it. */
  walked: string | null
  /** Number of the walk; documents of an earlier one are out of date. */
  generation: number
  /** 1 once a walk has ended. */
  complete: number
  looked_at: number
}

/** The document that stands for an object in the index of search. */
export interface SearchDocumentRow {
  realm: number
  object: string
  type: string
  workspace: string | null
  document: number
  /** Hash of all that is indexed. */
  digest: string
  generation: number
  /** The words of its title and of its text, each between spaces; null on SQLite, whose index has their order. */
  title_words: string | null
  body_words: string | null
}

export interface CommentRow extends ResourceRow {
  workspace: string
  task: string
  body: string
  mentions: string
  author_type: string
  author_id: string
  edited_at: number | null
  attachments: string
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
  /** `team`, or the user who alone sees it. */
  audience: string
  layout: string
  group_by: string | null
  /** A JSON array; null for those of the reader. */
  columns: string | null
  /** 0 or 1. */
  pinned: number
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
  receipts: string
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

/** A task that was imported, by its id in the system it comes from. */
export interface ImportedTaskRow {
  realm: number
  workspace: string
  source: string
  external_id: string
  task: string
  /** As the client sent it with the task. */
  version: string | null
  created: number
}
