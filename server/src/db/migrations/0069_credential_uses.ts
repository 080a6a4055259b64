import type { Migration } from './migration.ts'

/** The last uses of credentials. `credentials.last_used_at` keeps those from before; it is no longer written. */
export const credentialUses: Migration = {
  name: '0069_credential_uses',
  sql: `
create table credential_uses (realm bigint not null, id text not null, last_used_at bigint not null,
  primary key (realm, id));
`,
}
