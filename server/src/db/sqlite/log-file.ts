/**
 * The request log of SQLite, in a file of its own beside the database and attached as `logs` to every connection that reads.
 * What is said of finished requests is written all the time, and nothing depends on it: here it neither drops the pages
 * that reads of the database have cached, nor does a request wait for it. A thread of its own writes it
 * (`log-writer.ts`); only migrations do so as well, and put it on disk themselves. A missing file is made anew.
 */
import { open } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'

/** `…/atrium.db` → `…/atrium-requests.db`. */
export function logFileOf(file: string): string {
  return file.replace(/(\.[^./\\]*)?$/, '-requests$1')
}

/** Makes the table where it is missing. */
export function makeLogTable(database: DatabaseSync, schema: 'main' | 'logs'): void {
  database.exec(`
    create table if not exists ${schema}.request_logs (realm bigint not null, id text not null, created bigint not null,
      entry text not null, primary key (realm, id));
    create index if not exists ${schema}.request_logs_age on request_logs (created);`)
}

/** Attaches the file, made where it is missing. The connection must not be in a transaction. */
export function attachLogFile(database: DatabaseSync, file: string): void {
  database.prepare('attach database ? as logs').run(logFileOf(file))
  database.exec('pragma logs.journal_mode=wal; pragma logs.synchronous=normal; pragma logs.cache_size=-2048;')
  makeLogTable(database, 'logs')
}

/** Puts on disk what was committed to the file as an attached one: no such commit waits for that. */
export async function syncLogFile(file: string): Promise<void> {
  const log = await open(`${logFileOf(file)}-wal`, 'r')
  try {
    await log.sync()
  } finally {
    await log.close()
  }
}
