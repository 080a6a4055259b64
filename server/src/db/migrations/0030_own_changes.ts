import type { Migration } from './migration.ts'

/**
 * Finds the latest changes of one person, for the list of changes that can be undone. Only events of console sessions have
 * entries, so writes with keys and tokens do not pay for the index.
 */
export const own_changes: Migration = {
  name: '0030_own_changes',
  sql: `
create index events_own on events (realm, actor_id, sequence) where actor_type = 'user';
`,
}
