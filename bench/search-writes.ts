/**
 * What the index of search costs a create: the same load on two servers in alternation, one of which indexes what is written
 * while the other does not: `npm run bench:search-writes`. Both begin with a complete index, so that the worker follows the
 * creates and does not walk the seeded tasks. The server that is not loaded is paused: catching up, it would take
 * time from the other one, on the same core.
 */
import { join } from 'node:path'
import type { Plant } from '../proof/plant.ts'
import { planted } from '../proof/plant.ts'
import { buildPlanted } from '../proof/planted-build.ts'
import { replace } from '../proof/planted-fault.ts'
import { benchmark, say } from './command.ts'
import type { Figure } from './figures.ts'
import { indexSeeded } from './index-seeded.ts'
import { measure, warmUp } from './measure.ts'
import { productEnvironment } from './product.ts'
import { median } from './report.ts'
import type { ServerProcess } from './server-process.ts'
import type { Stage } from './stage.ts'
import { writeTarget } from './target.ts'

const warm_requests = 20_000
const job = 'create'

const worker = 'server/src/workers/search-index.ts'
const begin = 'let done = 0'
/** Both programs are built the same way, so that only the worker differs. */
const plants = {
  indexing: [replace(worker, begin, `${begin} // As it is.`)],
  idle: [replace(worker, begin, `if (!stop.aborted) return 0\n    ${begin}`)],
} as const satisfies Record<string, readonly Plant[]>
type Side = keyof typeof plants

interface Measures {
  readonly rps: Record<Side, number[]>
  readonly cpu_us: Record<Side, number[]>
}

interface Loaded {
  readonly server: ServerProcess
  readonly folder: string
}

async function openSide(stage: Stage, name: Side, database: string, tasks: number): Promise<Loaded> {
  await buildPlanted(plants[name])
  const url = await stage.newDatabase(`search_writes_${database}`)
  const target = await stage.product.seed(url, { tasks })
  await indexSeeded(productEnvironment(url, stage.folder), target)
  await stage.settle(url)
  const folder = join(stage.folder, 'load', database)
  writeTarget(folder, target)
  const server = await stage.start(url, { environment: planted(plants[name]) })
  await warmUp(server, { folder, job }, warm_requests)
  server.pause()
  return { server, folder }
}

await benchmark({
  name: 'search-writes',
  does: 'What the index of the search costs a create: the same load with and without the worker, in alternation.',
  engines: ['sqlite', 'postgres'],
  needs: ['wrk'],
  sizes: {
    tasks: { full: 100_000, quick: 5000, means: 'tasks in the database' },
    rounds: { full: 60, quick: 3, means: 'pairs of loads' },
    seconds: { full: 2, quick: 1, means: 'of each load' },
  },
  async run(stage, { tasks, rounds, seconds }) {
    const measures: Measures = { rps: { indexing: [], idle: [] }, cpu_us: { indexing: [], idle: [] } }
    // The server that is started first is some percent slower, so each is first in half of the rounds.
    for (const first of ['indexing', 'idle'] as const) {
      const servers = await openBoth(stage, first, tasks)
      for (let round = 0; round < Math.ceil(rounds / 2); round++) await loadBoth(stage, servers, measures, seconds)
      for (const { server } of Object.values(servers)) {
        server.resume()
        await stage.stop(server)
      }
    }
    return figuresOf(measures)
  },
})

async function openBoth(stage: Stage, first: Side, tasks: number): Promise<Record<Side, Loaded>> {
  const one = await openSide(stage, first, `${first}_first`, tasks)
  const other = await openSide(stage, otherThan(first), `${first}_second`, tasks)
  return first === 'indexing' ? { indexing: one, idle: other } : { indexing: other, idle: one }
}

/** A pair of loads; who begins alternates. */
async function loadBoth(stage: Stage, servers: Record<Side, Loaded>, { rps, cpu_us }: Measures, seconds: number) {
  const begins = rps.idle.length % 2 === 0 ? 'indexing' : 'idle'
  for (const name of [begins, otherThan(begins)] as const) {
    const { server, folder } = servers[name]
    server.resume()
    const sample = await stage.measured(() => measure(server, { folder, job, seconds }, () => stage.databaseMicros()))
    server.pause()
    if (sample.bad > 0) throw new Error(`${sample.bad} creates were refused.`)
    rps[name].push(sample.rps)
    cpu_us[name].push(sample.cpu_us + sample.database_us)
  }
  say(`round ${rps.idle.length}: ${rps.indexing.at(-1)?.toFixed(0)} and ${rps.idle.at(-1)?.toFixed(0)} creates/s`)
}

function otherThan(side: Side): Side {
  return side === 'idle' ? 'indexing' : 'idle'
}

/** Ratios within each round, whose two loads met the same machine. */
function figuresOf({ rps, cpu_us }: Measures): Figure[] {
  const slower = median(rps.idle.map((without, round) => without / (rps.indexing[round] as number)))
  const more = median(cpu_us.indexing.map((spent, round) => spent / (cpu_us.idle[round] as number)))
  const note = `${median(rps.indexing).toFixed(0)} creates/s beside the worker, ${median(rps.idle).toFixed(0)} without`
  return [
    { name: 'time of a create beside the worker', value: slower, unit: 'times', goal: { at_most: 1.05 }, note },
    { name: 'CPU time of a create beside the worker', value: more, unit: 'times' },
  ]
}
