import type { Migration } from './migration.ts'

/** A checksum of each event's row, which the scrub compares. Events from before have none. */
export const eventChecksums: Migration = {
  name: '0027_event_checksums',
  sql: 'alter table events add column checksum bigint;\n',
}
