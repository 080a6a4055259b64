import type { Migration } from './migration.ts'
import { resource_columns } from './resource-columns.ts'

/** Export jobs and their files, kept in the database so that every process can serve them. */
export const exports: Migration = {
  name: '0003_exports',
  sql: `
create table export_jobs (${resource_columns}, organization text not null, mode text not null, workspace text,
  parameters text not null, status text not null, row_count bigint, size_bytes bigint, sha256 text, started_at bigint,
  completed_at bigint, expires_at bigint, error text, requested_by_type text not null, requested_by_id text not null,
  attempt bigint not null, tries bigint not null, lease_owner text, lease_until bigint, primary key (realm, id));
create index export_jobs_status on export_jobs (status, id);
create table export_chunks (realm bigint not null, job text not null, attempt bigint not null, number bigint not null,
  offset_bytes bigint not null, size_bytes bigint not null, lines text not null, primary key (realm, job, attempt, number));
`,
}
