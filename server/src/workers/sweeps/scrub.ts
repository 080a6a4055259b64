/**
 * Reads all rows again, slowly, so that damage is found while backups from before it still exist: pages that cannot be read,
 * audit entries that do not have their hash, events that do not have their checksum, objects that differ from their newest
 * event. A pass starts again when a process starts. A finding makes the worker fail until a whole pass finds nothing; metrics
 * and the doctor show that.
 */
import type { Services } from '../../api/services.ts'
import { auditHash } from '../../api/write/audit.ts'
import { eventChecksum } from '../../api/write/outbox.ts'
import { pageOf } from '../../db/backup/whole-tables.ts'
import type { AuditRow, EventRow } from '../../db/schema.ts'
import type { TableRow } from '../../db/store.ts'
import { derived_tables, type TableKey, tableKeys } from '../../db/tables/keys.ts'
import { worker_limits } from '../limits.ts'
import type { Worker } from '../worker.ts'
import { findingOfObjects } from './objects-and-events.ts'

/** Where a process is in its pass. */
interface Pass {
  readonly tables: readonly TableKey[]
  table: number
  /** The last row that was read of the table. */
  last: TableRow | null
  /** The first finding since the newest pass without one. */
  finding: string | null
  isFound: boolean
}

const passes = new WeakMap<Services, Pass>()

/** Chunks and images are large: few are read at a time. */
const large = new Set(['export_chunks', 'board_assets'])

export const scrubWorker: Worker = {
  name: 'scrub',
  does: 'Reads all rows again to find damage.',
  period_ms: 60_000,
  lease_ms: 60_000,
  batch_max: worker_limits.scrub_rows_max,
  async run(services, batch_max) {
    const pass = passes.get(services) ?? newPass(services)
    passes.set(services, pass)
    const done = await readOn(services, pass, batch_max)
    if (pass.finding !== null) throw new Error(pass.finding)
    // One batch per period: the load is bounded, however much there is.
    return Math.min(done, batch_max - 1)
  },
}

function newPass({ store }: Services): Pass {
  const tables = tableKeys(store.dialect).filter(({ table }) => !derived_tables.has(table))
  return { tables, table: 0, last: null, finding: null, isFound: false }
}

/** Reads at most `rows_max` rows, and to the end of the pass at most. Returns how many it has read. */
async function readOn(services: Services, pass: Pass, rows_max: number): Promise<number> {
  const reader = services.store.reader('system')
  let done = 0
  while (done < rows_max) {
    const { table, key } = pass.tables[pass.table] as TableKey
    const count = large.has(table) ? worker_limits.scrub_large_rows : worker_limits.scrub_page_rows
    let page: TableRow[] = []
    try {
      page = await reader.all(pageOf(table, key, pass.last, count))
    } catch (error) {
      note(pass, `the table ${table} cannot be read: ${error instanceof Error ? error.message : error}`)
    }
    for (const row of page) {
      const finding = findingOf(table, row, pass.last)
      if (finding !== null) note(pass, finding)
      pass.last = row
    }
    const finding = await findingOfPage(services, table, page)
    if (finding !== null) note(pass, finding)
    done += page.length
    // Between pages, requests are served.
    await new Promise(setImmediate)
    if (page.length === count) continue
    pass.last = null
    pass.table = (pass.table + 1) % pass.tables.length
    if (pass.table > 0) continue
    if (!pass.isFound) pass.finding = null
    pass.isFound = false
    return done
  }
  return done
}

function note(pass: Pass, finding: string): void {
  pass.finding ??= finding
  pass.isFound = true
}

/** What is wrong with a row; `last` is the row before it in the order of the table's key. */
function findingOf(table: string, row: TableRow, last: TableRow | null): string | null {
  // The table's name says which columns the rows have.
  if (table === 'audit_entries') return findingOfAudit(row as TableRow & AuditRow, last as (TableRow & AuditRow) | null)
  if (table === 'events') return findingOfEvent(row as TableRow & EventRow)
  return null
}

/** What is wrong with the objects of a page. An event that cannot be read is found among the events. */
async function findingOfPage({ store }: Services, table: string, page: readonly TableRow[]): Promise<string | null> {
  try {
    return await findingOfObjects(store, table, page)
  } catch (error) {
    return `the table ${table} cannot be compared with its events: ${error instanceof Error ? error.message : error}`
  }
}

function findingOfAudit(row: AuditRow, last: AuditRow | null): string | null {
  const follows = last?.organization === row.organization && last.sequence + 1 === row.sequence
  if (row.hash === auditHash(row) && (!follows || row.previous_hash === last.hash)) return null
  return `the audit entry ${row.sequence} of ${row.organization} does not have its hash`
}

function findingOfEvent(row: EventRow): string | null {
  const { realm, sequence, checksum } = row
  if (checksum === null ? namesItsObject(row) : checksum === eventChecksum(row)) return null
  return `the event ${sequence} of realm ${realm} does not have its checksum`
}

/** What can be checked of an event from before checksums. */
function namesItsObject({ data, object_id }: EventRow): boolean {
  try {
    return JSON.parse(data).object.id === object_id
  } catch {
    return false
  }
}
