/**
 * A position in PostgreSQL's write-ahead log: on a primary everything up to it is on disk, on a standby everything up to
 * it can be read. Positions of different timelines cannot be compared: after a failover a standby may have followed the
 * former primary further than the new one.
 */
import { sql } from 'kysely'
import { rawQuery } from '../query.ts'

export interface Position {
  /** The cluster, which its standbys share, and the database in it. */
  readonly database: string
  readonly timeline: number
  /** Bytes of the log. */
  readonly bytes: number
}

/** The position of the server that answers. A standby reports the timeline of its last checkpoint, which may be late. */
export const readPosition = rawQuery(
  () => sql<Position>`select (select system_identifier from pg_control_system()) || ' ' || current_database() as database,
    case when pg_is_in_recovery() then (select timeline_id from pg_control_checkpoint())
      else ('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::int end as timeline,
    (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end
      - '0/0'::pg_lsn)::bigint as bytes`,
)

/** Why positions cannot be compared; null if they can. */
export function reasonAgainst(here: Position, there: Position): string | null {
  if (here.database !== there.database) return 'it is no standby of this database'
  if (here.timeline === there.timeline) return null
  return `it follows timeline ${here.timeline}, the primary has ${there.timeline}`
}

/** Whether a server at `here` shows everything that is at `there`. */
export function includes(here: Position, there: Position): boolean {
  return reasonAgainst(here, there) === null && here.bytes >= there.bytes
}
