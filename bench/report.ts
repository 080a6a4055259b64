/** Medians over rounds, the product's shares of the floors, and the table that shows them. */
import type { Sample } from './measure.ts'
import type { Job } from './target.ts'

export interface Case {
  readonly engine: 'sqlite' | 'postgres'
  readonly job: Job
  /** The floor's case, as the floors name it. */
  readonly floor: string
  readonly samples: { readonly floor: Sample[]; readonly product: Sample[] }
}

export interface Result {
  readonly engine: string
  readonly job: string
  readonly floor_case: string
  /** The product's requests a second as a share of the floor's. */
  readonly share: number
  /** The floor's CPU time a request as a share of the product's: the figure that other load disturbs least. */
  readonly cpu_share: number
  readonly floor: Sample
  readonly product: Sample
  readonly rounds: number
}

export function resultOf({ engine, job, floor, samples }: Case): Result {
  const [floorMedian, productMedian] = [medians(samples.floor), medians(samples.product)]
  return {
    engine,
    job,
    floor_case: floor,
    share: productMedian.rps / floorMedian.rps,
    cpu_share: floorMedian.cpu_us / productMedian.cpu_us,
    floor: floorMedian,
    product: productMedian,
    rounds: samples.product.length,
  }
}

function medians(samples: readonly Sample[]): Sample {
  const of = (name: keyof Sample) => median(samples.map((sample) => sample[name]))
  return {
    rps: of('rps'),
    cpu_us: of('cpu_us'),
    p50_ms: of('p50_ms'),
    p99_ms: of('p99_ms'),
    // A single bad answer in any round shows.
    bad: Math.max(...samples.map((sample) => sample.bad)),
    others: of('others'),
    mib: of('mib'),
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

/** The load takes one core; what is above is somebody else's work. */
const others_max = 1.1

/** The table, and warnings about what makes it less worth. */
export function table(results: readonly Result[]): string {
  const head = [
    'engine',
    'job',
    'share',
    'CPU share',
    'req/s',
    'floor',
    'CPU µs',
    'floor',
    'p50 ms',
    'p99 ms',
    'floor’s case',
  ]
  const rows = results.map(({ engine, job, share, cpu_share, product, floor, floor_case }) => [
    ...[engine, job, share.toFixed(2), cpu_share.toFixed(2), product.rps.toFixed(0), floor.rps.toFixed(0)],
    ...[product.cpu_us.toFixed(0), floor.cpu_us.toFixed(0), product.p50_ms.toFixed(1), product.p99_ms.toFixed(1)],
    floor_case,
  ])
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => (row[i] as string).length)))
  const numeric = (i: number) => i > 1 && i < head.length - 1
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (numeric(i) ? cell.padStart(widths[i] as number) : cell.padEnd(widths[i] as number)))
      .join('  ')
  return [line(head), ...rows.map(line), ...warnings(results)].join('\n')
}

function warnings(results: readonly Result[]): string[] {
  const said: string[] = []
  for (const { engine, job, product, floor } of results) {
    const bad = product.bad + floor.bad
    if (bad > 0) said.push(`warning: ${engine} ${job}: ${bad} bad answers; the figure is worth nothing`)
    const others = Math.max(product.others, floor.others)
    if (others > others_max) {
      said.push(`warning: ${engine} ${job}: other work kept ${others.toFixed(1)} cores busy; go by the CPU share`)
    }
  }
  return said
}
