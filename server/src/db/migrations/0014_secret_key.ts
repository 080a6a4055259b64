import type { Migration } from './migration.ts'

/**
 * The secret key that a database belongs to: one row, whose `id` is `current`. `carried` is sealed; `rotating` names the
 * process of a rotation that has begun.
 */
export const secretKey: Migration = {
  name: '0014_secret_key',
  sql: `
create table secret_key (id text not null primary key, fingerprint text not null, carried text, rotated_at bigint,
  rotating text);
`,
}
