/**
 * The fields of each object in a list if the agent sends no `fields`, by the noun's `object`: enough to choose an object,
 * and few enough that a page does not fill a context. Nouns that are missing here are shown whole.
 */
export const listFields: Readonly<Record<string, readonly string[]>> = {
  member: ['user', 'email', 'first_name', 'last_name', 'role', 'status'],
  team: ['id', 'name', 'description'],
  team_member: ['user'],
  api_key: ['id', 'name', 'hint', 'scopes', 'status', 'expires_at', 'last_used_at'],
  audit_entry: ['id', 'created', 'action', 'actor', 'target', 'changed_fields', 'reason'],
  board: ['id', 'name', 'status', 'project', 'member_count', 'item_count'],
  board_item: ['id', 'type', 'text', 'parent', 'connector'],
  board_member: ['user', 'role'],
  board_comment: ['id', 'thread', 'body', 'author', 'element', 'resolved_at'],
  board_link: ['id', 'name', 'role', 'expires_at', 'creator', 'last_used_at'],
  workspace: ['id', 'title', 'key', 'status'],
  file: ['id', 'workspace', 'name', 'content_type', 'bytes', 'attached_to'],
  custom_field: ['id', 'workspace', 'key', 'name', 'type', 'options'],
  project: ['id', 'workspace', 'name', 'status', 'portfolio'],
  portfolio: ['id', 'workspace', 'name', 'status'],
  column: ['id', 'project', 'name', 'position'],
  task: ['id', 'key', 'title', 'status', 'priority', 'assignee', 'project', 'column', 'due_at', 'labels'],
  comment: ['id', 'author', 'created', 'body'],
  dependency: ['id', 'from', 'to', 'kind'],
  time_entry: ['id', 'task', 'user', 'status', 'started_at', 'ended_at', 'duration_ms', 'note'],
  notification: ['id', 'kind', 'subject', 'key', 'title', 'excerpt', 'actor', 'read_at'],
  saved_filter: ['id', 'name', 'description', 'filter', 'sort'],
  task_template: ['id', 'name', 'description', 'overridable'],
  expense: ['id', 'expense_date', 'category', 'vendor', 'currency', 'gross_amount_minor', 'project', 'status'],
  billing_rate: ['id', 'scope', 'target', 'currency', 'amount_minor'],
  invoice_draft: ['id', 'project', 'status', 'currency', 'gross_amount_minor'],
  automation_flow: ['id', 'name', 'status', 'mode', 'version', 'project', 'last_run_at'],
  automation_run: ['id', 'automation_flow', 'task', 'status', 'status_reason', 'started_at', 'ended_at'],
  automation_approval: ['id', 'automation_run', 'text', 'asked', 'status', 'decided_by', 'expires_at'],
  webhook_endpoint: ['id', 'url', 'event_types', 'status', 'status_reason'],
  request_log: ['id', 'created', 'method', 'path', 'operation', 'status', 'error_code', 'credential'],
  search_result: ['type', 'id', 'key', 'title', 'excerpt', 'project'],
  delivery: ['id', 'event', 'status', 'next_attempt_at'],
  event: ['id', 'type', 'created', 'sequence', 'workspace', 'actor'],
}

/** Selects whole objects. */
export const all_fields = '*'
