import type { Migration } from './migration.ts'

/** Mails that became comments: a mail that arrives again, as after a lost answer, is recognized by the digest of its Message-ID. */
export const inboundMail: Migration = {
  name: '0042_inbound_mail',
  sql: `
create table inbound_mails (realm bigint not null, id text not null, "user" text not null, comment text not null,
  created bigint not null, primary key (realm, id));
create index inbound_mails_user on inbound_mails (realm, "user", created);
create index inbound_mails_age on inbound_mails (created);
`,
}
