import type { PlantedFault } from '../faults.ts'

export const upgrade_faults = [
  {
    name: 'loses_rows',
    what: 'the migration that moves the request log does not copy all of it',
    cycles: 2,
    plants: [
      {
        file: 'server/src/db/migrations/0007_request_log_file.ts',
        find: 'select realm, id, created, entry from main.request_logs;',
        put: 'select realm, id, created, entry from main.request_logs where created % 7 <> 0;',
      },
    ],
  },
  {
    name: 'no_transaction',
    what: 'each statement of a migration commits alone',
    cycles: 6,
    plants: [
      {
        file: 'server/src/db/migrate.ts',
        find: '[...statements, ...rowSecurity(statements)] : statements',
        put: `[...statements, ...rowSecurity(statements)].flatMap((one) => [one, 'commit', 'begin'])
          : statements.flatMap((one) => [one, 'commit', 'begin immediate'])`,
      },
    ],
  },
  {
    name: 'copied_once',
    what: 'the request log is copied into its file by the transaction that drops it, whose two files commit one after the other',
    cycles: 16,
    plants: [
      {
        file: 'server/src/db/migrate.ts',
        find: 'if (first !== undefined)',
        put: 'if (first === null)',
      },
    ],
  },
  {
    name: 'first_in_memory',
    what: 'the copy of the request log is not on disk yet when the transaction begins that drops what was copied',
    cycles: 16,
    plants: [{ file: 'server/src/db/sqlite.ts', find: 'await syncLogFile(this.file)', put: 'void syncLogFile' }],
  },
  {
    name: 'terms_uncut',
    what: 'the migration that lists the terms of tasks keeps long ones whole, where the program looks for their beginning',
    cycles: 6,
    plants: [
      {
        file: 'server/src/db/migrations/0009_task_terms.ts',
        find: "':' || substr(label.value, 1, 100)",
        put: "':' || label.value",
      },
    ],
  },
] as const satisfies readonly PlantedFault[]
