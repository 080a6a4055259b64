import type { Migration } from './migration.ts'

/**
 * Mail on its way. `content` is JSON: of a notice its entry, of a digest its day; of a link it is sealed. A mail that a process
 * was sending when it ended is `uncertain`: it may have been sent.
 */
export const mail: Migration = {
  name: '0035_mail',
  sql: `
create table mails (realm bigint not null, id text not null, organization text not null, "user" text not null,
  kind text not null, content text not null, status text not null, due_at bigint not null, attempts bigint not null,
  uncertain bigint not null, lease_owner text, lease_until bigint, error text, created bigint not null,
  updated bigint not null, primary key (realm, id));
create index mails_due on mails (due_at) where status = 'due';
create index mails_sending on mails (lease_until) where status = 'sending';
create index mails_dead on mails (updated) where status = 'dead';
create index mails_age on mails (updated);
`,
}
