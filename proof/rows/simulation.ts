/**
 * The product in simulated time (`proof/simulation`). Child processes simulate ranges of seeds; some seeds are simulated again
 * by another process, which must produce the same trace.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { planted } from '../plant.ts'
import { row, type Trial } from '../row.ts'
import { simulation_plants } from '../simulation/plants.ts'
import type { Simulated } from '../simulation/simulate.ts'

/** Seeds per process: a balance of start-up cost and memory growth. */
const range_max = 250
/** One seed in this many is simulated twice, and at least `again_min` of each range. */
const again_share = 50
const again_min = 2

export const simulation = row({
  name: 'simulation',
  promise:
    'In any order of events, with processes killed and paused, connections cut and messages lost or doubled, acknowledged writes take effect exactly once, logs are whole, and all promised work is done soon after.',
  cycle:
    'a seed: processes, clients, webhook receivers and flows in simulated time and one thread, with failures and a recovery period',
  cycles: { short: 10, long: 10_000 },
  unproven: [
    'HTTP, DNS, TLS and sockets: requests go straight to the pipeline, and outgoing requests are intercepted. Other rows try those.',
    'PostgreSQL: the simulated processes share SQLite files in memory.',
    'A process paused or killed in the middle of a synchronous step: it is killed between steps, and before and after commits.',
    'Packages that take time or randomness from elsewhere than Node: two runs of a seed would differ.',
  ],
  async run(trial) {
    const simulated = new Map<number, Simulated>()
    const ranges = rangesOf(trial)
    const left = [...ranges.keys()]
    const work = async (): Promise<void> => {
      for (let at = left.shift(); at !== undefined; at = left.shift()) {
        await simulate(trial, [...(ranges[at] as Range), ...againOf(trial, ranges, at)], simulated)
        trial.say(`${simulated.size} of ${trial.cycles} seeds`)
      }
    }
    await Promise.all(Array.from({ length: Math.min(availableParallelism(), ranges.length) }, work))
    return { cycles: simulated.size, figures: figuresOf(trial, simulated) }
  },
})

type Range = readonly [first: number, count: number]

/** At least two ranges if seeds are simulated again, by another process. */
function rangesOf({ seed, cycles, fault }: Trial): Range[] {
  const parts = Math.max(fault === null || fault === 'unseeded_jitter' ? 2 : 1, Math.ceil(cycles / range_max))
  const size = Math.ceil(cycles / parts)
  const ranges: Range[] = []
  for (let at = 0; at < parts; at++) ranges.push([seed + at * size, Math.max(0, Math.min(size, cycles - at * size))])
  return ranges
}

/** The seeds of the previous range that this range's process simulates again. */
function againOf(trial: Trial, ranges: readonly Range[], at: number): Range {
  const [first, count] = ranges.at(at - 1) as Range
  if (ranges.length === 1) return [first, 0]
  const again = trial.fault === null ? Math.max(again_min, Math.ceil(count / again_share)) : count
  return [first, Math.min(again, count)]
}

async function simulate(trial: Trial, ranges: readonly number[], simulated: Map<number, Simulated>): Promise<void> {
  const program = join(import.meta.dirname, '../simulation/run.ts')
  const child = spawn(process.execPath, [program, ...ranges.map(String)], {
    env: { ...process.env, ...planted(simulation_plants) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  let isNoticed = false
  for await (const line of createInterface({ input: child.stdout })) {
    const made = JSON.parse(line) as Simulated
    const first = simulated.get(made.seed)
    if (first === undefined) simulated.set(made.seed, made)
    else if (first.trace !== made.trace) trial.violated(`seed ${made.seed} produced another trace the second time`)
    for (const text of first === undefined ? made.violations : []) trial.violated(`seed ${made.seed}, ${text}`)
    isNoticed ||= trial.fault !== null && made.violations.length > 0
    if (isNoticed) child.kill()
  }
  const [code, signal] = await exit
  if (code !== 0 && !(isNoticed && signal === 'SIGTERM')) throw new Error(`a simulation ended with ${signal ?? code}`)
}

function figuresOf({ seed }: Trial, simulated: ReadonlyMap<number, Simulated>): Record<string, number | string> {
  const traces = createHash('sha256')
  const figures: Record<string, number | string> = {}
  for (const { trace, figures: own } of [...simulated.values()].sort((a, b) => a.seed - b.seed)) {
    traces.update(trace)
    for (const [name, value] of Object.entries(own)) figures[name] = Number(figures[name] ?? 0) + value
  }
  return { from_seed: seed, trace: traces.digest('hex').slice(0, 16), ...figures }
}
