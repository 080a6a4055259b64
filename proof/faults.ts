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
