/**
 * The request log of SQLite, in a file of its own beside the database and attached to every connection as `logs`. What
 * is said of finished requests is written all the time, and nothing depends on it: here it neither waits for the disk
 * (`synchronous=NORMAL` syncs at checkpoints) nor drops the pages that reads of the database have cached. A crash of
 * the machine may take the newest entries, a crash of the process takes none; a missing file is made anew.
 */
import { open } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'

/** `…/atrium.db` → `…/atrium-requests.db`. */
export function logFileOf(file: string): string {
  return file.replace(/(\.[^./\\]*)?$/, '-requests$1')
}

const table = `
  create table if not exists logs.request_logs (realm bigint not null, id text not null, created bigint not null,
    entry text not null, primary key (realm, id));
  create index if not exists logs.request_logs_age on request_logs (created);`

/** Attaches the file, made where it is missing. The connection must not be in a transaction. */
export function attachLogFile(database: DatabaseSync, file: string): void {
  database.prepare('attach database ? as logs').run(logFileOf(file))
  database.exec(`pragma logs.journal_mode=wal; pragma logs.synchronous=normal; pragma logs.cache_size=-2048; ${table}`)
}

/** Puts on disk what was committed to the file and is not to be lost: no commit there waits for that. */
export async function syncLogFile(file: string): Promise<void> {
  const log = await open(`${logFileOf(file)}-wal`, 'r')
  try {
    await log.sync()
  } finally {
    await log.close()
  }
}
