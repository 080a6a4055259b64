import type { Migration } from './migration.ts'

/**
 * Addresses that people have proved by a link from a mail to them, and requests for new passwords, which a worker answers by mail.
 * `account_links.mailed_digest` is the digest of the token in the mail, which no other person has seen; `account` is set for links
 * to one account. `mails.sealed` is 1 while the content is sealed.
 */
export const provedAddresses: Migration = {
  name: '0041_proved_addresses',
  sql: `
alter table accounts add column email_proved_at bigint;
alter table account_links add column mailed_digest text;
alter table account_links add column account text;
create index account_links_mailed on account_links (mailed_digest) where mailed_digest is not null;
create index account_links_account on account_links (account) where account is not null;
alter table mails add column sealed bigint not null default 0;
update mails set sealed = 1 where kind = 'link' and content <> '{}';
create table reset_requests (id text not null primary key, email text not null, ip text not null, user_agent text,
  created bigint not null);
`,
}
