import type { Migration } from './migration.ts'

const copy = 'insert or ignore into logs.request_logs select realm, id, created, entry from main.request_logs;'

/**
 * On SQLite the request log moves into its own file (`db/sqlite/log/file.ts`), which every connection has attached. A transaction
 * over two files commits in one and then in the other, so the old table is dropped only once the copy is on disk.
 */
export const requestLogFile: Migration = {
  name: '0007_request_log_file',
  first: { sqlite: copy },
  sql: {
    sqlite: `
${copy}
drop table main.request_logs;
`,
    postgres: '',
  },
}
