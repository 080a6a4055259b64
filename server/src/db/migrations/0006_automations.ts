import type { Migration } from './migration.ts'
import { resource_columns } from './resource-columns.ts'

/** Flows with their activated versions, their triggers, the runs with their journals, previews, secrets, AI costs. */
export const automations: Migration = {
  name: '0006_automations',
  sql: `
create table automation_flows (${resource_columns}, organization text not null, mode_of_data text not null,
  workspace text not null, project text, name text not null, graph text not null, graph_hash text not null,
  status text not null, mode text not null, version bigint not null, required_scopes text not null,
  uses_ai bigint not null, activated_at bigint, activated_by_type text, activated_by_id text, paused_at bigint,
  pause_reason text, pause_origin text, last_run_at bigint, consecutive_failures bigint not null,
  active_after bigint not null, primary key (realm, id));
create index automation_flows_workspace on automation_flows (realm, workspace, id);
create index automation_flows_project on automation_flows (realm, project, id) where project is not null;
create index automation_flows_active on automation_flows (realm, id) where status = 'active';
create table automation_versions (realm bigint not null, flow text not null, version bigint not null,
  created bigint not null, graph text not null, graph_hash text not null, mode text not null, scopes text not null,
  credential text not null, activated_by_type text not null, activated_by_id text not null,
  primary key (realm, flow, version));
create table automation_clocks (realm bigint not null, flow text not null, node text not null, version bigint not null,
  organization text not null, kind text not null, next_at bigint, through_at bigint, through_task text,
  primary key (realm, flow, node));
create index automation_clocks_next on automation_clocks (next_at) where next_at is not null;
create table automation_positions (realm bigint not null primary key, organization text not null, mode text not null,
  sequence bigint not null, looked_at bigint not null);
create table automation_previews (realm bigint not null, digest text not null, flow text not null,
  graph_hash text not null, task text not null, credential text not null, created bigint not null,
  expires_at bigint not null, used_at bigint, primary key (realm, digest));
create index automation_previews_age on automation_previews (expires_at);
create table automation_runs (${resource_columns}, organization text not null, mode_of_data text not null,
  workspace text not null, automation_flow text not null, flow_version bigint not null, mode text not null, task text,
  trigger_type text not null, trigger_node text not null, trigger_event text, trigger_key text not null,
  event text, causes text not null, depth bigint not null, status text not null, status_reason text,
  current_node text, attempt bigint not null, wake_at bigint, started_at bigint, ended_at bigint, deadline_at bigint,
  canceled_by_type text, canceled_by_id text, failure text, steps bigint not null, http_requests bigint not null,
  ai_requests bigint not null, ai_input_tokens bigint not null, ai_output_tokens bigint not null,
  ai_cost_micros bigint not null, concurrency_key text not null, holds_slot bigint not null, due_at bigint,
  epoch bigint not null, lease_owner text, lease_until bigint, primary key (realm, id));
create unique index automation_runs_trigger on automation_runs (realm, automation_flow, flow_version, trigger_node, trigger_key);
create index automation_runs_due on automation_runs (due_at) where due_at is not null;
create index automation_runs_workspace on automation_runs (realm, workspace, id);
create index automation_runs_flow on automation_runs (realm, automation_flow, id);
create index automation_runs_task on automation_runs (realm, task, id) where task is not null;
create index automation_runs_open on automation_runs (realm, automation_flow, concurrency_key, id)
  where ended_at is null;
create index automation_runs_started on automation_runs (realm, automation_flow, created) where status <> 'skipped';
create index automation_runs_ended on automation_runs (ended_at) where ended_at is not null;
create table automation_steps (realm bigint not null, run text not null, number bigint not null, node text not null,
  path text not null, status text not null, port text, items bigint, output text, reason text, failure text,
  changes text not null, attempts bigint not null, started_at bigint not null, ended_at bigint not null,
  primary key (realm, run, number));
create table automation_attempts (realm bigint not null, run text not null, step bigint not null, attempt bigint not null,
  node text not null, idempotency_key text not null, sent_at bigint not null, ended_at bigint, outcome text,
  http_status bigint, error text, cost_micros bigint not null, inputs text, primary key (realm, run, step, attempt));
create table automation_secrets (realm bigint not null, name text not null, created bigint not null,
  updated bigint not null, value text not null, primary key (realm, name));
create table automation_ai_usage (organization text not null, day bigint not null, realm bigint not null,
  flow text not null, requests bigint not null, input_tokens bigint not null, output_tokens bigint not null,
  cost_micros bigint not null, primary key (organization, day, realm, flow));
create index automation_ai_usage_age on automation_ai_usage (day);
`,
}
