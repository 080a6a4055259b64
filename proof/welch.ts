/** Whether two kinds of request differ measurably in response time. */
import type { Dice } from './dice.ts'

/** Slower requests than this share were delayed by the machine and are dropped. */
const kept_share = 0.9

/** Welch's t of two samples: the difference of their means in standard errors. Each sample needs two values. */
function welch(a: readonly number[], b: readonly number[]): number {
  const [first, second] = [moments(a), moments(b)]
  const error = Math.sqrt(first.variance / a.length + second.variance / b.length)
  return error === 0 ? 0 : (first.mean - second.mean) / error
}

function moments(sample: readonly number[]): { mean: number; variance: number } {
  if (sample.length < 2) throw new RangeError('a sample needs at least two values')
  const mean = sample.reduce((sum, each) => sum + each, 0) / sample.length
  const variance = sample.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (sample.length - 1)
  return { mean, variance }
}

export interface Contest {
  readonly dice: Dice
  /** Requests in total, about half of each kind. */
  readonly count: number
  readonly one: () => Promise<unknown>
  readonly other: () => Promise<unknown>
}

/** Times both kinds in random order, so that disturbances hit both, and returns Welch's t. */
export async function timeDifference({ dice, count, one, other }: Contest): Promise<number> {
  const timed: { readonly isOne: boolean; readonly ms: number }[] = []
  for (let i = 0; i < count; i++) {
    const isOne = dice.chance(0.5)
    const begun = performance.now()
    await (isOne ? one() : other())
    timed.push({ isOne, ms: performance.now() - begun })
  }
  const bound = timed.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(count * kept_share)] as number
  const kept = timed.filter(({ ms }) => ms <= bound)
  const of = (wanted: boolean) => kept.filter(({ isOne }) => isOne === wanted).map(({ ms }) => ms)
  return welch(of(true), of(false))
}
