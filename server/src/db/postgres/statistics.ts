/**
 * PostgreSQL plans by statistics of the tables, and takes them again a minute or two after a table has grown. Until then pages and
 * look-ups can take ten times as long, as those of an empty event log that filled. So the program asks for them itself as soon as it
 * has inserted many rows.
 */
import type pg from 'pg'
import { db_limits } from '../limits.ts'

/** The connections that a store uses for writes. */
type Pool = Pick<pg.Pool, 'connect'>

/** Tables that have grown since statistics were taken, by their size on disk: PostgreSQL counts their rows only later. */
const grown = `select string_agg(format('%I.%I', relnamespace::regnamespace, relname), ', ') as tables from pg_class
  where relkind = 'r' and relnamespace = current_schema()::regnamespace
    and pg_relation_size(oid) > ${db_limits.statistics_growth} * greatest(relpages, 1) * current_setting('block_size')::bigint`

export class Statistics {
  private readonly pool: Pool
  private inserted = 0
  private next: number = db_limits.statistics_rows_min

  constructor(pool: Pool) {
    this.pool = pool
  }

  /** Notes that rows were committed. Returns whether statistics are to be taken. */
  add(rows: number): boolean {
    this.inserted += rows
    if (this.inserted < this.next) return false
    while (this.inserted >= this.next) this.next *= db_limits.statistics_growth
    return true
  }

  /** Takes statistics of all tables that have grown several times since PostgreSQL took them. Never rejects: PostgreSQL will. */
  async take(): Promise<void> {
    try {
      const client = await this.pool.connect()
      try {
        const { tables } = (await client.query<{ tables: string | null }>(grown)).rows[0] ?? { tables: null }
        if (tables !== null) await client.query(`analyze (skip_locked) ${tables}`)
        client.release()
      } catch {
        // The server may still be at it.
        client.release(true)
      }
    } catch {}
  }
}
