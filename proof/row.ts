/**
 * A row of the proof: one promise, tried many times from a seed, and the faults planted to show that the row would notice a
 * violation. A row draws all chance from its dice, so the same seed tries the same things.
 */
import type { EngineName } from '../server/test/engines.ts'
import type { Dice } from './dice.ts'
import type { RowName } from './faults.ts'

export type { EngineName }

export const engines: readonly EngineName[] = ['sqlite', 'postgres']

/** Reports a violation: in words, with what is needed to investigate it. */
export type Violated = (text: string) => void

export interface Trial {
  readonly seed: number
  readonly dice: Dice
  /** How many cycles to try; `Row.cycle` says what one is. */
  readonly cycles: number
  /** The name of the planted fault; `null` for the unchanged product. */
  readonly fault: string | null
  /** Both engines, or the only one that the planted fault concerns. */
  readonly engines: readonly EngineName[]
  /** The planted fault has been noticed, so the trial may end. */
  readonly isOver: boolean
  /** Reports progress on stderr. */
  say(text: string): void
  violated(text: string): void
  /** Adds to a figure of the outcome. */
  count(name: string, more?: number): void
}

export interface Outcome {
  readonly cycles: number
  /** Figures besides those counted. */
  readonly figures?: Readonly<Record<string, number | string>>
}

export interface Row {
  /** Also the name of its faults in `faults.ts`. */
  readonly name: RowName
  /** The promise in one sentence. */
  readonly promise: string
  /** What one cycle is: `a kill`, `an operation`. */
  readonly cycle: string
  readonly cycles: { readonly short: number; readonly long: number }
  /** What this row does not show. */
  readonly unproven: readonly string[]
  /** Why the row cannot run on this machine; `null` if it can. */
  readonly skipReason?: () => Promise<string | null>
  readonly run: (trial: Trial) => Promise<Outcome>
}

export function row(declared: Row): Row {
  return declared
}

/** Reports violations with a prefix, such as the engine. */
export function prefixed(trial: Pick<Trial, 'violated'>, prefix: string): Violated {
  return (text) => trial.violated(`${prefix}: ${text}`)
}

/** Runs a check and reports its failure as a violation. */
export async function reportFailure(violated: Violated, what: string, check: () => Promise<unknown>): Promise<void> {
  try {
    await check()
  } catch (error) {
    violated(`${what}: ${(error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 300)}`)
  }
}
