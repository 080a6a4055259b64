import type { Migration } from './migration.ts'

/**
 * Second factors: the authenticator app of an account, whose secret is sealed, and its recovery codes. `last_step` is the
 * newest period of 30 s whose code was used. `sessions.second_factor_at` is when the session's person proved a second factor;
 * null if never,
 * and `second_factor_provider` is the OpenID provider that vouched for it. With `organizations.second_factor_required` a session without it reaches nothing of the organization.
 */
export const secondFactor: Migration = {
  name: '0057_second_factor',
  sql: `
create table authenticators (account text not null primary key, secret text not null, last_step bigint not null,
  created bigint not null);
create table recovery_codes (account text not null, digest text not null, created bigint not null,
  primary key (account, digest));
alter table sessions add column second_factor_at bigint;
alter table sessions add column second_factor_provider text;
alter table organizations add column second_factor_required bigint not null default 0;
`,
}
