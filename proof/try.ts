/** Tries a row and says what came of it as one record, the same whether it is printed, kept or asserted. */
import { Dice } from './dice.ts'
import { faultsOf } from './faults.ts'
import type { Row } from './row.ts'

export interface Verdict {
  readonly row: string
  readonly seed: number
  readonly cycles: number
  readonly violations: number
  readonly seconds: number
  /** The planted fault; left out for the product as it is. */
  readonly fault?: string
  /** Why nothing was tried. */
  readonly skipped?: string
  readonly figures?: Readonly<Record<string, number | string>>
  /** The first violations in words. */
  readonly found?: readonly string[]
}

export interface Asked {
  readonly seed: number
  readonly cycles: number
  readonly fault?: string | null
  readonly say?: (text: string) => void
}

const found_max = 20

/** Rejects only when the trial itself broke: that is neither a pass nor a violation. */
export async function tryRow(row: Row, { seed, cycles, fault = null, say = () => {} }: Asked): Promise<Verdict> {
  const faults = faultsOf(row.name).map(({ name }) => name)
  if (fault !== null && !faults.includes(fault)) {
    throw new RangeError(`${row.name} has no planted fault ${fault}: it has ${faults.join()}`)
  }
  const named = fault === null ? {} : { fault }
  const hindrance = (await row.hindrance?.()) ?? null
  if (hindrance !== null)
    return { row: row.name, seed, cycles: 0, violations: 0, seconds: 0, ...named, skipped: hindrance }
  const found: string[] = []
  let violations = 0
  const violated = (text: string): void => {
    violations++
    say(`violated: ${text}`)
    if (found.length < found_max) found.push(text)
  }
  const started = performance.now()
  const outcome = await row.run({ seed, dice: new Dice(seed), cycles, fault, say, violated })
  const seconds = Math.round((performance.now() - started) / 100) / 10
  const more = found.length === 0 ? {} : { found }
  return {
    row: row.name,
    seed,
    cycles: outcome.cycles,
    violations,
    seconds,
    ...named,
    figures: outcome.figures,
    ...more,
  }
}
