import type { Migration } from '../migration.ts'

/** On SQLite the request log moves into its own file (`sqlite-log-file.ts`), which every connection has attached. */
export const requestLogFile: Migration = {
  name: '0007_request_log_file',
  sql: {
    sqlite: `
insert or ignore into logs.request_logs select realm, id, created, entry from main.request_logs;
drop table main.request_logs;
`,
    postgres: '',
  },
}
