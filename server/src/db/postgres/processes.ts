/**
 * The processes that hold leases in a PostgreSQL database. All connections of a process carry its name, and from its first
 * lease on it keeps one open and opens it again when it is lost: a process that stays without a connection has ended. If a
 * machine was lost, its connections stay until TCP gives them up, and the process counts as running until its leases
 * expire.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { db_limits } from '../limits.ts'
import { type Placeholder, rawQuery } from '../query.ts'
import type { Processes, Reader } from '../store.ts'

const prefix = 'atrium '

const connected = rawQuery(
  (p: Placeholder<{ like: string }>) =>
    sql<{
      name: string
    }>`select distinct application_name as name from pg_stat_activity where application_name like ${p('like')}`,
)

const countOthers = rawQuery(
  (p: Placeholder<{ like: string; own: string }>) =>
    sql<{ count: number }>`select count(distinct application_name) as count from pg_stat_activity
      where datname = current_database() and application_name like ${p('like')} and application_name <> ${p('own')}`,
)

export class PostgresProcesses implements Processes {
  private readonly reader: Reader
  private readonly name: string
  private readonly keepConnection: () => void

  /** `keepConnection` keeps a connection open from then on. */
  constructor(reader: Reader, applicationName: string, keepConnection: () => void) {
    this.reader = reader
    this.name = applicationName.slice(prefix.length)
    this.keepConnection = keepConnection
  }

  own(): string {
    this.keepConnection()
    return this.name
  }

  /** Checks twice: a process that lost all connections at once is back before the second check. */
  async ended(names: readonly string[]): Promise<string[]> {
    const missing = await this.missing(names)
    if (missing.length === 0) return []
    await sleep(db_limits.process_return_ms)
    return await this.missing(missing)
  }

  private async missing(names: readonly string[]): Promise<string[]> {
    const rows = await this.reader.all(connected, { like: `${prefix}%` })
    const running = new Set(rows.map((row) => row.name))
    return names.filter((name) => name !== this.name && !running.has(prefix + name))
  }

  async others(): Promise<number> {
    const found = await this.reader.first(countOthers, { like: `${prefix}%`, own: prefix + this.name })
    return Number(found?.count ?? 0)
  }
}

/** The name of a process in `pg_stat_activity`. */
export function newApplicationName(): string {
  return prefix + randomBytes(8).toString('hex')
}
