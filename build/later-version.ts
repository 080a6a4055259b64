/**
 * Stands for the next version: two migrations follow today's, the second of which is the last. As a program it is
 * the command line of that version: `node build/later-version.ts migrate`.
 */
import { migrations } from '../server/src/db/migrate.ts'
import type { Migration } from '../server/src/db/migrations/migration.ts'

export const later_migrations: readonly Migration[] = [
  {
    name: '9998_later_table',
    sql: 'create table later_rows (realm bigint not null, id text not null, primary key (realm, id))',
  },
  { name: '9999_later_column', sql: "alter table tasks add column later_mark text not null default 'later'" },
]

/** This process becomes the next version until the result is disposed of. */
export function becomeLater(): Disposable {
  const list = migrations as Migration[]
  list.push(...later_migrations)
  return { [Symbol.dispose]: () => void list.splice(-later_migrations.length) }
}

if (import.meta.main) {
  becomeLater()
  await import('../server/src/cli/index.ts')
}
