/** Tries a row and returns its verdict: one record, the same whether it is printed, kept or asserted. */
import { Dice } from './dice.ts'
import { faultsOf } from './faults.ts'
import { engines, type Row, type Trial } from './row.ts'

export interface Verdict {
  readonly row: string
  readonly seed: number
  readonly cycles: number
  readonly violations: number
  readonly seconds: number
  /** The planted fault; absent for the unchanged product. */
  readonly fault?: string
  /** Why nothing was tried. */
  readonly skipped?: string
  readonly figures?: Readonly<Record<string, number | string>>
  /** The first violations in words. */
  readonly found?: readonly string[]
}

export interface TrialOptions {
  readonly seed: number
  readonly cycles: number
  readonly fault: string | null
  readonly say: (text: string) => void
}

const found_max = 20

/** Rejects if the trial itself broke, which is neither a pass nor a violation. */
export async function tryRow(row: Row, { seed, cycles, fault, say }: TrialOptions): Promise<Verdict> {
  const planted = faultsOf(row.name).find(({ name }) => name === fault)
  if (fault !== null && planted === undefined) throw new RangeError(`Row ${row.name} has no planted fault "${fault}".`)
  const named = { row: row.name, seed, ...(fault === null ? {} : { fault }) }
  const skipped = (await row.skipReason?.()) ?? null
  if (skipped !== null) return { ...named, cycles: 0, violations: 0, seconds: 0, skipped }
  const found: string[] = []
  const counts: Record<string, number> = {}
  let violations = 0
  const trial: Trial = {
    ...{ seed, dice: new Dice(seed), cycles, fault, say },
    engines: planted?.engine === undefined ? engines : [planted.engine],
    get isOver() {
      return fault !== null && violations > 0
    },
    violated(text) {
      violations++
      say(`violated: ${text}`)
      if (found.length < found_max) found.push(text)
    },
    count(name, more = 1) {
      counts[name] = (counts[name] ?? 0) + more
    },
  }
  const started = performance.now()
  const outcome = await row.run(trial)
  const seconds = Math.round((performance.now() - started) / 100) / 10
  const figures = { ...counts, ...outcome.figures }
  return { ...named, cycles: outcome.cycles, violations, seconds, figures, ...(found.length === 0 ? {} : { found }) }
}
