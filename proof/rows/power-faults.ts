import type { PlantedFault } from '../faults.ts'

export const power_faults = [
  {
    name: 'not_synced',
    what: 'SQLite writes its commits and does not wait for the disk (`synchronous=NORMAL`)',
    cycles: 5,
    plants: [
      {
        file: 'server/src/db/sqlite-connection.ts',
        find: 'pragma main.synchronous=full',
        put: 'pragma main.synchronous=normal',
      },
    ],
  },
  {
    name: 'not_awaited',
    what: 'PostgreSQL answers a commit before it is on disk (`synchronous_commit=off`)',
    cycles: 12,
    plants: [
      {
        file: 'server/src/db/postgres-client.ts',
        find: "set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'",
        put: "set_config('synchronous_commit', 'off', false)",
      },
    ],
  },
  {
    name: 'key_in_memory',
    what: 'the secret key of an installation is written without waiting for the disk',
    cycles: 1,
    plants: [
      { file: 'server/src/main.ts', find: "mode: 0o600, flag: 'wx', flush: true", put: "mode: 0o600, flag: 'wx'" },
      { file: 'server/src/main.ts', find: 'fsyncSync(directory)', put: 'void directory' },
    ],
  },
  {
    name: 'backup_in_memory',
    what: 'a backup is said to be there before it is on disk',
    cycles: 1,
    plants: [{ file: 'server/src/db/backup.ts', find: 'await makeDurable(unfinished)', put: 'void makeDurable' }],
  },
  {
    name: 'name_in_memory',
    what: 'a backup is on disk, but not yet its name',
    cycles: 1,
    plants: [{ file: 'server/src/db/backup.ts', find: 'await makeDurable(dirname(path))', put: 'void dirname' }],
  },
] as const satisfies readonly PlantedFault[]
