/**
 * Where Citus keeps each table's rows. Rows of a realm lie on one shard of one node, together with those of the organization's
 * other realm, so that a request needs one node. Every table has a placement; a test compares the list with the schema.
 */

export type Placement =
  /** By the realm in this column: all such tables share their shards. */
  | { readonly by: 'realm'; readonly column: string; readonly keys?: readonly string[] }
  /** By organization, apart from the realms: for tables that no transaction changes together with rows of a realm. */
  | { readonly by: 'organization'; readonly column: 'organization' }
  /** On every node: small, read by most requests, changed seldom. */
  | { readonly by: 'copies' }
  /** On the coordinator only: what belongs to the installation and is never read together with other tables. */
  | { readonly by: 'coordinator' }

const realm: Placement = { by: 'realm', column: 'realm' }
const copies: Placement = { by: 'copies' }
const coordinator: Placement = { by: 'coordinator' }

/** A unique key of a distributed table must contain the column that places the row. */
function withKeys(column: string, ...keys: string[]): Placement {
  return { by: 'realm', column, keys }
}

export const placements: Readonly<Record<string, Placement>> = {
  // Identity: who may do what
  organizations: copies,
  realms: copies,
  members: copies,
  teams: copies,
  team_members: copies,
  preferences: copies,
  push_subscriptions: copies,
  credentials: copies,
  operators: copies,
  accounts: copies,
  account_memberships: copies,
  account_links: copies,
  account_identities: copies,
  passkeys: copies,
  authenticators: copies,
  recovery_codes: copies,
  sessions: copies,
  session_cookies: copies,
  session_tokens: copies,
  session_id_tokens: copies,
  scim_tokens: copies,
  scim_people: copies,
  oauth_clients: copies,
  oauth_codes: copies,
  oauth_grants: copies,

  // The installation
  migrations: coordinator,
  workers: coordinator,
  secret_key: coordinator,
  push_keys: coordinator,
  unfinished_demos: coordinator,
  passkey_challenges: coordinator,
  sign_in_failures: coordinator,
  sign_in_flows: coordinator,
  reset_requests: coordinator,

  credential_uses: realm,

  // Counters of credits
  credit_windows: { by: 'organization', column: 'organization' },

  // Logs
  audit_heads: withKeys(
    'home',
    'alter table audit_heads drop constraint audit_heads_pkey, add primary key (organization, home)',
  ),
  audit_entries: withKeys(
    'realm',
    'alter table audit_entries drop constraint audit_entries_pkey, add primary key (organization, sequence, realm)',
  ),
  event_heads: realm,
  events: realm,
  event_losses: realm,
  idempotency: realm,
  request_logs: realm,

  // Work
  workspaces: realm,
  portfolios: realm,
  projects: realm,
  columns: realm,
  custom_fields: realm,
  tasks: realm,
  task_terms: realm,
  imported_tasks: realm,
  comments: realm,
  dependencies: realm,
  time_entries: realm,
  saved_filters: realm,
  task_templates: realm,
  expenses: realm,
  billing_rates: realm,
  invoice_drafts: realm,
  export_jobs: realm,
  export_chunks: realm,
  boards: realm,
  board_members: realm,
  board_comments: realm,
  board_snapshots: realm,
  board_elements: realm,
  board_items: realm,
  board_assets: realm,
  board_scenes: realm,
  board_operations: realm,
  board_versions: realm,
  board_images: realm,
  // Found by the digests of their secrets alone, as credentials are.
  board_links: copies,
  board_guests: copies,
  applications: realm,
  files: realm,
  file_contents: realm,
  file_attachments: realm,
  file_totals: realm,

  // People hear of it
  notifications: realm,
  watches: realm,
  guest_projects: realm,
  inbox_positions: realm,
  mails: realm,
  inbound_mails: realm,
  pushes: realm,

  // Webhooks and automations
  webhook_endpoints: realm,
  webhook_deliveries: realm,
  webhook_attempts: realm,
  webhook_positions: realm,
  automation_flows: realm,
  automation_versions: realm,
  automation_clocks: realm,
  automation_positions: realm,
  automation_previews: realm,
  automation_runs: realm,
  automation_steps: realm,
  automation_attempts: realm,
  automation_secrets: realm,
  automation_ai_usage: realm,
  // Found by the digest of its secret alone, as credentials are.
  automation_hooks: copies,
  automation_hook_requests: realm,
  automation_forms: copies,
  automation_submissions: realm,
  automation_mailboxes: copies,
  automation_mails: realm,
  automation_approvals: realm,

  // Indexes of texts
  text_positions: realm,
  text_documents: withKeys(
    'realm',
    'drop index text_documents_document',
    'create unique index text_documents_document on text_documents (document, realm)',
  ),
  text_grams: withKeys(
    'shard',
    'alter table text_grams drop constraint text_grams_pkey, add primary key (document, shard)',
  ),
  search_positions: realm,
  search_documents: withKeys(
    'realm',
    'drop index search_documents_document',
    'create unique index search_documents_document on search_documents (document, realm)',
  ),
  search_hashes: withKeys(
    'shard',
    'alter table search_hashes drop constraint search_hashes_pkey, add primary key (document, shard)',
  ),
}
