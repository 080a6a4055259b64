/**
 * The product in simulated time (`proof/simulation`): seeds are simulated by processes that do nothing else, each a range of
 * them, and some are simulated once more by another process, which must come to the same trace.
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

/** Seeds of one process: what it loads and learns is not to be paid for too often, nor kept for ever. */
const range_max = 250
/** One seed in so many is simulated twice, but a few of each range. */
const again_share = 50
const again_min = 2

export const simulation = row({
  name: 'simulation',
  promise:
    'Whatever order things happen in, and whatever is killed, paused, cut off, lost or doubled meanwhile: what was acknowledged stands, once; logs are whole; everything promised is done soon after.',
  cycle:
    'a seed: processes, clients, webhook receivers and flows in simulated time and one thread, with misfortunes, and the time after them',
  cycles: { short: 10, long: 10_000 },
  unproven: [
    'HTTP, DNS, TLS and sockets: requests are handed to the pipeline, and what is sent outside is taken from the way out; other rows try those.',
    'PostgreSQL: the simulated processes share SQLite files in memory.',
    'A process that is paused or killed in the middle of a step: it is killed between steps, and before and after commits.',
    'Packages that would take time or chance from somewhere else than Node: two runs of a seed would differ.',
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

/** Two at least, so that there is another process to simulate a seed again. */
function rangesOf({ seed, cycles, fault }: Trial): Range[] {
  const parts = Math.max(fault === null || fault === 'unseeded_jitter' ? 2 : 1, Math.ceil(cycles / range_max))
  const size = Math.ceil(cycles / parts)
  const ranges: Range[] = []
  for (let at = 0; at < parts; at++) ranges.push([seed + at * size, Math.max(0, Math.min(size, cycles - at * size))])
  return ranges
}

/** Of the range before, the seeds that are simulated again by this one's process. */
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
    else if (first.trace !== made.trace) trial.violated(`seed ${made.seed} left another trace the second time`)
    for (const text of first === undefined ? made.violations : []) trial.violated(`seed ${made.seed}, ${text}`)
    // A fault needs to be noticed once.
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
