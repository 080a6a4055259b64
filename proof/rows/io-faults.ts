import type { PlantedFault } from '../faults.ts'

export const io_faults = [
  {
    name: 'commit_believed',
    what: 'a commit that SQLite could not write counts as done',
    cycles: 18,
    plants: [
      {
        file: 'server/src/db/sqlite.ts',
        find: "this.writing.exec(written > 0 ? 'commit' : 'rollback')",
        put: "try { this.writing.exec(written > 0 ? 'commit' : 'rollback') } catch { this.writing.rollBack() }",
      },
    ],
  },
  {
    name: 'log_believed',
    what: 'what memory shows of a log that could not be synced counts as being on disk',
    cycles: 60,
    plants: [{ file: 'server/src/db/sqlite.ts', find: 'await syncLog(this.file)', put: 'void syncLog' }],
  },
  {
    name: 'copied_in_part',
    what: 'what a checkpoint could not put on disk is not copied again where SQLite takes it for copied',
    cycles: 60,
    plants: [
      {
        file: 'server/src/db/sqlite-copier.ts',
        find: 'if (!this.isSure) this.connection.recopy()',
        put: 'void this.recopied',
      },
      {
        file: 'server/src/db/sqlite-copier.ts',
        find: 'this.isSure = this.isSure && this.recopied()',
        put: 'this.isSure = true',
      },
    ],
  },
  {
    name: 'never_opened_anew',
    what: 'a connection that met a fault of the disk is closed and stays so',
    cycles: 18,
    plants: [
      {
        file: 'server/src/db/sqlite-connection.ts',
        find: 'this.opened ??= this.open()\n    return this.opened',
        put: "if (this.opened === null) throw new StoreUnavailable('closed')\n    return this.opened",
      },
    ],
  },
  {
    name: 'fault_of_the_program',
    what: 'a fault of the disk is answered as one of the program',
    cycles: 18,
    plants: [
      {
        file: 'server/src/db/sqlite-errors.ts',
        find: 'if (code === null || !(broken.has(code) || passing.has(code))) return error',
        put: 'return code === null ? error : new Error((error as Error).message)',
      },
    ],
  },
  {
    name: 'lost_is_done',
    what: 'a commit whose connection to PostgreSQL was lost counts as done',
    cycles: 12,
    plants: [
      {
        file: 'server/src/db/postgres-tx.ts',
        find: "done = await this.client.query('commit')",
        put: "done = await this.client.query('commit').catch(() => ({ command: 'COMMIT' }))",
      },
    ],
  },
] as const satisfies readonly PlantedFault[]
