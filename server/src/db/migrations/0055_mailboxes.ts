import type { Migration } from './migration.ts'

/**
 * Mail that starts automations: the address of a flow's mailbox, found by the digest of its secret, and the mails that started
 * runs. A mail is deleted with its run; until then its key starts no other.
 */
export const mailboxes: Migration = {
  name: '0055_mailboxes',
  sql: `
create table automation_mailboxes (realm bigint not null, flow text not null, id text not null, organization text not null,
  mode text not null, created bigint not null, updated bigint not null, secret text not null, digest text not null,
  primary key (realm, flow));
create unique index automation_mailboxes_digest on automation_mailboxes (digest);
create table automation_mails (realm bigint not null, run text not null, flow text not null,
  created bigint not null, mail_key text not null, mail text not null, primary key (realm, run));
create unique index automation_mails_key on automation_mails (realm, flow, mail_key);
create index automation_mails_flow on automation_mails (realm, flow, run);
`,
}
