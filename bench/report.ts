/** Medians over rounds, the product's shares of the floors, their table, and their goals. */
import { aligned, type Figure, type Goal } from './figures.ts'
import { others_max } from './machine.ts'
import { connections_usual, type Sample } from './measure.ts'
import type { Engine } from './stage.ts'
import type { Job } from './target.ts'

export interface Case {
  readonly engine: Engine
  readonly job: Job
  /** 64 that always wait, or one: then the time of a request is its latency, without queueing. */
  readonly connections: number
  /** The floor's case, by the floor's name. */
  readonly floor: string
  readonly samples: { readonly floor: Sample[]; readonly product: Sample[] }
}

export interface Result {
  /** `sqlite get`, `sqlite get x1`. */
  readonly name: string
  readonly engine: Engine
  readonly job: Job
  readonly connections: number
  readonly floor_case: string
  /** The product's requests per second divided by the floor's. */
  readonly share: number
  /** The same for each round. */
  readonly shares: readonly number[]
  /** The floor's CPU time per request divided by the product's: the figure that other processes disturb least. */
  readonly cpu_share: number
  readonly floor: Sample
  readonly product: Sample
}

export function nameOf({ engine, job, connections }: Pick<Case, 'engine' | 'job' | 'connections'>): string {
  return `${engine} ${job}${connections === connections_usual ? '' : ` x${connections}`}`
}

export function resultOf(one: Case): Result {
  const { engine, job, connections, floor, samples } = one
  const [floorMedian, productMedian] = [medians(samples.floor), medians(samples.product)]
  return {
    name: nameOf(one),
    engine,
    job,
    connections,
    floor_case: floor,
    share: productMedian.rps / floorMedian.rps,
    shares: samples.product.map((sample, i) => sample.rps / (samples.floor[i]?.rps ?? Number.NaN)),
    cpu_share: floorMedian.cpu_us / productMedian.cpu_us,
    floor: floorMedian,
    product: productMedian,
  }
}

function medians(samples: readonly Sample[]): Sample {
  const of = (name: keyof Sample) => median(samples.map((sample) => sample[name]))
  return {
    requests: of('requests'),
    rps: of('rps'),
    cpu_us: of('cpu_us'),
    database_us: of('database_us'),
    p50_ms: of('p50_ms'),
    p99_ms: of('p99_ms'),
    // A bad answer in any round shows.
    bad: Math.max(...samples.map((sample) => sample.bad)),
    others: of('others'),
    mib: of('mib'),
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

/** The value that the given share of values does not exceed; NaN for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length, Math.max(1, Math.ceil(sorted.length * share))) - 1] ?? Number.NaN
}

type Read = (result: Result, all: readonly Result[]) => Omit<Figure, 'goal'> & { readonly goal: Goal }

const share =
  (at_least: number): Read =>
  (result) => ({ name: result.name, value: result.share, unit: `of ${result.floor_case}`, goal: { at_least } })

const p50 =
  (at_most: number): Read =>
  (result) => ({ name: `${result.name}, p50`, value: result.product.p50_ms, unit: 'ms', goal: { at_most } })

/** The goals at 100,000 tasks by case. */
const goals: Readonly<Record<string, readonly Read[]>> = {
  'sqlite get': [share(0.75)],
  'sqlite 304': [
    (result, all) => {
      const whole = all.find(({ name }) => name === 'sqlite get')?.product.rps ?? Number.NaN
      return { name: 'sqlite 304, against the 200', value: result.product.rps, unit: 'req/s', goal: { above: whole } }
    },
  ],
  'sqlite list': [share(0.9)],
  'sqlite create': [share(0.7)],
  'sqlite update': [share(0.7)],
  'sqlite mix': [
    share(0.7),
    (result) => ({ name: `${result.name}, p99`, value: result.product.p99_ms, unit: 'ms', goal: { at_most: 20 } }),
  ],
  'sqlite get x1': [p50(0.25)],
  'sqlite create x1': [p50(0.8)],
  'postgres get': [share(0.75)],
  'postgres list': [share(0.85)],
  'postgres create': [share(2)],
}

/** The results compared with their goals. A case without a result or counterpart has none. */
export function goalFigures(results: readonly Result[]): Figure[] {
  return results
    .flatMap((result) =>
      (goals[result.name] ?? []).map((read) => ({ ...read(result, results), others: othersOf(result) })),
    )
    .filter(({ goal }) => !('above' in goal) || !Number.isNaN(goal.above))
}

/** Cores used by other processes, on the side that was disturbed more. */
export function othersOf({ product, floor }: Result): number {
  return Math.max(product.others, floor.others)
}

const head = [
  ...['case', 'share', 'CPU share', 'req/s', 'floor', 'CPU µs', 'floor'],
  ...['db µs', 'floor', 'p50 ms', 'p99 ms', 'floor’s case'],
]

/** The table, and its warnings. */
export function table(results: readonly Result[]): string {
  const rows = results.map(({ name, share, cpu_share, product, floor, floor_case }) => [
    ...[name, share.toFixed(2), cpu_share.toFixed(2), product.rps.toFixed(0), floor.rps.toFixed(0)],
    ...[product.cpu_us, floor.cpu_us, product.database_us, floor.database_us].map((value) => value.toFixed(0)),
    ...[product.p50_ms.toFixed(2), product.p99_ms.toFixed(2), floor_case],
  ])
  const numeric = head.slice(0, -1).map((_, i) => i)
  return [...aligned(head, rows, numeric.slice(1)), ...warnings(results)].join('\n')
}

function warnings(results: readonly Result[]): string[] {
  const lines: string[] = []
  for (const result of results) {
    const { name, product, floor } = result
    const bad = product.bad + floor.bad
    if (bad > 0) lines.push(`warning: ${name}: ${bad} bad answers; the figure is worthless`)
    const others = othersOf(result)
    if (others > others_max) {
      lines.push(`warning: ${name}: other processes used ${others.toFixed(2)} cores; use the CPU share`)
    }
  }
  return lines
}
