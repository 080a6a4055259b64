/** A fault planted in the product to prove that a row notices it. */
import type { EngineName } from '../server/test/engines.ts'
import type { Plant } from './plant.ts'

export interface PlantedFault {
  readonly name: string
  /** What is broken on purpose. */
  readonly what: string
  /** The row must notice the fault within this many cycles. */
  readonly cycles: number
  /** Text replaced in the product's source; empty where the row itself breaks something. */
  readonly plants: readonly Plant[]
  /** The only engine to try; both if left out. */
  readonly engine?: EngineName
}

export function fault(name: string, what: string, cycles: number, plants: readonly Plant[]): PlantedFault {
  return { name, what, cycles, plants }
}

/** Faults that only one engine can show. */
export function on(engine: EngineName, faults: readonly PlantedFault[]): PlantedFault[] {
  return faults.map((each) => ({ ...each, engine }))
}

/** `find` must occur exactly once in `file`. */
export function replace(file: string, find: string, put: string): Plant {
  return { file, find, put }
}
