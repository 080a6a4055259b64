/**
 * SQLite's request log, in a file of its own beside the database, attached as `logs` to every connection that reads.
 * Entries of finished requests are written all the time, and nothing depends on them: in a file of its own they neither
 * drop the pages that reads of the database have cached, nor delay a request. A thread of its own writes it
 * (`writer.ts`); only migrations also write it, and sync it themselves. A missing file is created.
 */
import { open } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'

/** `…/atrium.db` → `…/atrium-requests.db`. */
export function logFileOf(file: string): string {
  return file.replace(/(\.[^./\\]*)?$/, '-requests$1')
}

/** Creates the table if missing. */
export function makeLogTable(database: DatabaseSync, schema: 'main' | 'logs'): void {
  database.exec(`
    create table if not exists ${schema}.request_logs (realm bigint not null, id text not null, created bigint not null,
      entry text not null, primary key (realm, id));
    create index if not exists ${schema}.request_logs_age on request_logs (created);`)
}

/** Attaches the file and creates it if missing. The connection must not be in a transaction. */
export function attachLogFile(database: DatabaseSync, file: string): void {
  database.prepare('attach database ? as logs').run(logFileOf(file))
  database.exec('pragma logs.journal_mode=wal; pragma logs.synchronous=normal; pragma logs.cache_size=-2048;')
  makeLogTable(database, 'logs')
}

/** Writes to disk what was committed to the file while attached: such a commit does not wait for the disk. */
export async function syncLogFile(file: string): Promise<void> {
  const log = await open(`${logFileOf(file)}-wal`, 'r')
  try {
    await log.sync()
  } finally {
    await log.close()
  }
}
