/**
 * The request log of SQLite, in a file of its own beside the database and attached to every connection as `logs`. What
 * is said of finished requests is written all the time: here it does not drop the pages that reads of the database have
 * cached. A commit waits for the disk as the database's do, a few times a second. Where none did (`synchronous=NORMAL`),
 * everybody saw pages that no sync had confirmed yet; one that failed made the file unreadable, and with it every write. A
 * missing file is made anew.
 */
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
  database.exec(`pragma logs.journal_mode=wal; pragma logs.synchronous=full; pragma logs.cache_size=-2048; ${table}`)
}
