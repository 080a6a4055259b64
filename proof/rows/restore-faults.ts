import type { PlantedFault } from '../faults.ts'

export const restore_faults = [
  {
    name: 'many_moments',
    what: 'a backup reads each page as it stands by then, not all of them at one moment',
    cycles: 12,
    plants: [
      {
        file: 'server/src/db/backup.ts',
        find: "store.snapshot('system', (reader) => writeLines(reader, lines, head))",
        put: "writeLines(store.reader('system'), lines, head)",
      },
    ],
  },
  {
    name: 'unverified',
    what: 'the hashes at the end of a backup are not compared',
    cycles: 40,
    plants: [
      {
        file: 'server/src/db/backup.ts',
        find: "said.sha256 !== this.whole.digest('hex')",
        put: "this.whole.digest('hex') === ''",
      },
      {
        file: 'server/src/db/backup.ts',
        find: '(sum?.rows ?? 0) !== rows || found !== sha256',
        put: 'found === null',
      },
    ],
  },
  {
    name: 'first_pages',
    what: 'a backup has of every table its first page',
    cycles: 12,
    plants: [
      {
        file: 'server/src/db/backup.ts',
        find: 'if (page.length < limits.backup_page_rows) return',
        put: 'if (page.length <= limits.backup_page_rows) return',
      },
    ],
  },
] as const satisfies readonly PlantedFault[]
