/**
 * What a row of the proof is: one promise, tried many times from a seed, with a fault that can be planted to see that the
 * row would notice. A row draws everything that is left to chance from its dice, so the same seed tries the same things.
 */
import type { Dice } from './dice.ts'
import type { RowName } from './faults.ts'

export type EngineName = 'sqlite' | 'postgres'

export interface Trial {
  readonly seed: number
  readonly dice: Dice
  /** How many times the row is to try; what one cycle is, the row's `cycle` says. */
  readonly cycles: number
  /** The name of the planted fault; `null` for the product as it is. */
  readonly fault: string | null
  /** Says how far it has come, on stderr. */
  say(text: string): void
  /** Notes a violation: in words, with what is needed to look into it. */
  violated(text: string): void
}

export interface Outcome {
  readonly cycles: number
  /** Figures worth keeping, by name: `acknowledged`, `lost`, `engine` … */
  readonly figures: Readonly<Record<string, number | string>>
}

export interface Row {
  /** Its faults stand in `faults.ts` under this name. */
  readonly name: RowName
  /** The promise, one sentence. */
  readonly promise: string
  /** What one cycle is: `a kill`, `an operation`. */
  readonly cycle: string
  readonly cycles: { readonly short: number; readonly long: number }
  /** What this row does not show. */
  readonly unproven: readonly string[]
  /** Why the row cannot be tried on this machine; `null`: it can. */
  readonly hindrance?: () => Promise<string | null>
  readonly run: (trial: Trial) => Promise<Outcome>
}

export function row(declared: Row): Row {
  return declared
}
