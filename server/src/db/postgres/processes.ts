/**
 * The processes that hold leases in a PostgreSQL database. All connections of a process carry its name; a process
 * without a connection has ended. If a machine was lost, its connections stay until TCP gives them up, and the process
 * counts as running until its leases expire.
 */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Placeholder, rawQuery } from '../query.ts'
import type { Processes, Reader } from '../store.ts'

const prefix = 'atrium '

const connected = rawQuery(
  (p: Placeholder<{ like: string }>) =>
    sql<{
      name: string
    }>`select distinct application_name as name from pg_stat_activity where application_name like ${p('like')}`,
)

export class PostgresProcesses implements Processes {
  private readonly reader: Reader
  private readonly name: string

  constructor(reader: Reader, applicationName: string) {
    this.reader = reader
    this.name = applicationName.slice(prefix.length)
  }

  own(): string {
    return this.name
  }

  async ended(names: readonly string[]): Promise<string[]> {
    const rows = await this.reader.all(connected, { like: `${prefix}%` })
    const running = new Set(rows.map((row) => row.name))
    return names.filter((name) => name !== this.name && !running.has(prefix + name))
  }
}

/** The name of a process in `pg_stat_activity`. */
export function newApplicationName(): string {
  return prefix + randomBytes(8).toString('hex')
}
