/** The planted faults of every row: which text of the product is broken, and that the row must notice it. */
import type { Plant } from './plant.ts'

export interface PlantedFault {
  readonly name: string
  /** What is broken on purpose. */
  readonly what: string
  /** Cycles in which the row must notice. */
  readonly cycles: number
  /** How: texts of the product that are read as others. None where the row breaks something itself. */
  readonly plants?: readonly Plant[]
}

export const faults = {
  kill: [
    {
      name: 'answer_before_commit',
      what: 'a write is answered before its commit is on disk',
      cycles: 12,
      plants: [
        {
          file: 'server/src/db/sqlite.ts',
          find: "this.writing.exec(written > 0 ? 'commit' : 'rollback')",
          put: `batch.forEach((waiting, i) => waiting.settle(settled[i]))
            await sleep(3)
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
          find: 'keep(tx, claim, outcome, operation.sealed ? services.sealer : null, now)',
          put: `const later = async (other) => keep(other, claim, outcome, operation.sealed ? services.sealer : null, now)
            void services.store.write(caller.storeScope, later).catch(() => {})`,
        },
      ],
    },
  ],
  races: [
    {
      name: 'no_lookup',
      what: 'a write does not look for what its key has done before',
      cycles: 20,
      plants: [
        {
          file: 'server/src/api/commit.ts',
          find: 'return known ?? (await carryOut(services, write, tx, prepared, now))',
          put: 'return known !== null && known.refusal !== null ? known : await carryOut(services, write, tx, prepared, now)',
        },
      ],
    },
  ],
} as const satisfies Readonly<Record<string, readonly PlantedFault[]>>

export type RowName = keyof typeof faults

export function faultsOf(row: string): readonly PlantedFault[] {
  return (faults as Readonly<Record<string, readonly PlantedFault[]>>)[row] ?? []
}
