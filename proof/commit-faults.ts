/** Faults of a commit, which a row that kills processes must notice by itself and one that simulates them, too. */
import type { PlantedFault } from './faults.ts'

export const commit_faults = [
  {
    name: 'answer_before_commit',
    what: 'a write is answered before its commit is on disk',
    cycles: 12,
    plants: [
      {
        file: 'server/src/db/sqlite.ts',
        find: "this.writing.exec(written > 0 ? 'commit' : 'rollback')",
        put: `batch.forEach((waiting, i) => waiting.settle(settled[i]))
          await new Promise((resolve) => setTimeout(resolve, 3))
          // In a process that had to wait for its processor the timer is due before the turn in which answers leave.
          for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
          this.writing.exec(written > 0 ? 'commit' : 'rollback')`,
      },
    ],
  },
  {
    name: 'record_apart',
    what: 'the record of a key is written in a transaction of its own, behind the write',
    cycles: 12,
    plants: [
      {
        file: 'server/src/api/commit.ts',
        find: 'else if (main?.text === text) keepEvent(tx, claim, outcome, main, now)',
        put: `else if (main?.text === text) {
          const later = async (other) => keepEvent(other, claim, outcome, main, now)
          void services.store.write(caller.storeScope, later).catch(() => {})
        }`,
      },
    ],
  },
] as const satisfies readonly PlantedFault[]
