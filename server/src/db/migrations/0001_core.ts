import type { Migration } from './migration.ts'
import { resource_columns } from './resource-columns.ts'

/** The platform: organizations, credentials, credits, idempotency, events, audit, request log, workers. */
const platform = `
create table organizations (organization text not null primary key, name text not null, plan text, domains text not null,
  service_user text not null, created bigint not null, updated bigint not null);
create table realms (realm bigint not null primary key, organization text not null, mode text not null,
  event_sequence bigint not null);
create unique index realms_organization on realms (organization, mode);
create table audit_heads (organization text not null primary key, sequence bigint not null, previous_hash text not null,
  hash text not null);
create table members (organization text not null, id text not null, created bigint not null, updated bigint not null,
  "user" text not null, email text, first_name text, last_name text, profile_picture_url text, role text,
  status text not null, primary key (organization, id));
create unique index members_user on members (organization, "user");
create table teams (organization text not null, id text not null, created bigint not null, updated bigint not null,
  name text not null, description text, primary key (organization, id));
create table credentials (${resource_columns}, organization text not null, kind text not null, name text not null,
  hint text not null, last4 text not null, digest text, scopes text not null, owner_type text not null,
  owner_id text not null, mode text not null, api_version text not null, expires_at bigint, last_used_at bigint,
  primary key (realm, id));
create unique index credentials_digest on credentials (digest);
create index credentials_kind on credentials (realm, kind, id);
create table credit_windows (organization text not null, subject text not null, kind text not null,
  starts_at bigint not null, used bigint not null, primary key (organization, subject, kind, starts_at));
create index credit_windows_age on credit_windows (starts_at);
create table idempotency (realm bigint not null, credential text not null, "key" text not null,
  fingerprint text not null, state text not null, status bigint not null, body text not null, sealed bigint not null,
  request text not null, lease_until bigint, created bigint not null, primary key (realm, credential, "key"));
create index idempotency_age on idempotency (created);
create table events (realm bigint not null, sequence bigint not null, id text not null, type text not null,
  created bigint not null, organization text not null, workspace text, object text not null, object_id text not null,
  actor_type text not null, actor_id text not null, credential text, request text, idempotency_key text,
  commit_id text not null, commit_index bigint not null, commit_size bigint not null, causes text, data text not null,
  primary key (realm, sequence));
create unique index events_id on events (realm, id);
create index events_age on events (created);
create table audit_entries (organization text not null, sequence bigint not null, id text not null, realm bigint not null,
  created bigint not null, action text not null, actor text not null, target text not null, room text,
  entry text not null, previous_hash text not null, hash text not null, primary key (organization, sequence));
create index audit_entries_target on audit_entries (organization, target, sequence);
create table request_logs (realm bigint not null, id text not null, created bigint not null, entry text not null,
  primary key (realm, id));
create index request_logs_age on request_logs (created);
create table workers (name text not null primary key, last_started_at bigint, last_ended_at bigint,
  last_done bigint not null, last_failed bigint not null, last_error text, lease_until bigint, lease_owner text);
`

/** Work management. */
const work = `
create table workspaces (${resource_columns}, title text not null, "key" text not null, status text not null,
  default_currency text not null, last_number bigint not null, primary key (realm, id));
create unique index workspaces_key on workspaces (realm, "key");
create table portfolios (${resource_columns}, workspace text not null, name text not null, description text,
  status text not null, archived_at bigint, primary key (realm, id));
create index portfolios_workspace on portfolios (realm, workspace, id);
create table projects (${resource_columns}, workspace text not null, portfolio text, name text not null, description text,
  status text not null, archived_at bigint, duplicated_from text, primary key (realm, id));
create index projects_workspace on projects (realm, workspace, id);
create index projects_portfolio on projects (realm, portfolio, id);
create table columns (${resource_columns}, workspace text not null, project text not null, name text not null,
  position double precision not null, color text, primary key (realm, id));
create index columns_project on columns (realm, project, id);
create index columns_workspace on columns (realm, workspace, id);
create table tasks (${resource_columns}, workspace text not null, number bigint not null, "key" text not null, project text,
  "column" text, title text not null, title_folded text not null, description text, description_folded text,
  status text not null, priority text not null, priority_rank bigint not null, assignee text,
  creator_type text not null, creator_id text not null, due_at bigint, completed_at bigint, is_archived bigint not null,
  labels text not null, custom_fields text not null, position double precision not null, template text,
  primary key (realm, id));
create unique index tasks_key on tasks (realm, "key");
create index tasks_workspace on tasks (realm, workspace, id);
create index tasks_project on tasks (realm, project, id);
create index tasks_column on tasks (realm, "column", id);
create index tasks_assignee on tasks (realm, assignee, id);
create index tasks_status on tasks (realm, status, id);
create index tasks_due on tasks (realm, due_at, id);
create index tasks_created on tasks (realm, created, id);
create index tasks_updated on tasks (realm, updated, id);
create index tasks_completed on tasks (realm, completed_at, id);
create index tasks_priority on tasks (realm, priority_rank, id);
create table comments (${resource_columns}, workspace text not null, task text not null, body text not null,
  author_type text not null, author_id text not null, edited_at bigint, primary key (realm, id));
create index comments_task on comments (realm, task, id);
create table dependencies (${resource_columns}, workspace text not null, project text not null, "from" text not null,
  "to" text not null, kind text not null, creator_type text not null, creator_id text not null, primary key (realm, id));
create index dependencies_from on dependencies (realm, "from", id);
create index dependencies_to on dependencies (realm, "to", id);
create table time_entries (${resource_columns}, workspace text not null, task text, project text, "user" text not null,
  started_at bigint not null, ended_at bigint, duration_ms bigint, offset_ms bigint not null, status text not null,
  note text, billable bigint not null, source text not null, primary key (realm, id));
create index time_entries_workspace on time_entries (realm, workspace, id);
create index time_entries_task on time_entries (realm, task, id);
create index time_entries_running on time_entries (realm, "user", status);
create table saved_filters (${resource_columns}, workspace text not null, project text, name text not null, description text,
  filter text not null, sort text, visibility text not null, created_by text not null, primary key (realm, id));
create index saved_filters_workspace on saved_filters (realm, workspace, id);
create table task_templates (${resource_columns}, workspace text not null, project text, name text not null, description text,
  defaults text not null, overridable text not null, primary key (realm, id));
create index task_templates_workspace on task_templates (realm, workspace, id);
`

export const core: Migration = { name: '0001_core', sql: platform + work }
