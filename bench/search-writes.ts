/**
 * What the index of search costs a create: the same load on one server in alternation, while its worker indexes what is written
 * and while it rests: `npm run bench:search-writes`. It is one process with one database, because two servers of the same program
 * differ by more than the index costs. Measured is the server whose index is behind, which is the state of one that is fully loaded.
 */
import { rmSync, writeFileSync } from 'node:fs'
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

/** While this file exists, the worker of the planted program rests. */
const rests_variable = 'BENCH_INDEX_RESTS'
const plants: readonly Plant[] = [
  replace(
    'server/src/workers/search-index.ts',
    'let done = 0',
    `if (process.getBuiltinModule('node:fs').existsSync(process.env['${rests_variable}'] ?? '')) return 0
    let done = 0`,
  ),
  // It rests at once, not only with its next run.
  replace(
    'server/src/workers/search-index.ts',
    'if (stop.aborted) break',
    `if (process.getBuiltinModule('node:fs').existsSync(process.env['${rests_variable}'] ?? '')) break`,
  ),
]

interface Measures {
  readonly rps: Record<Side, number[]>
  readonly cpu_us: Record<Side, number[]>
  /** Events that were indexed during each load. */
  readonly indexed: Record<Side, number[]>
}

type Side = 'indexing' | 'resting'

interface Loaded {
  readonly server: ServerProcess
  readonly folder: string
  readonly key: string
  /** The file of `rests_variable`. */
  readonly rests: string
}

async function open(stage: Stage, tasks: number): Promise<Loaded> {
  await buildPlanted(plants)
  const url = await stage.newDatabase('search_writes')
  const target = await stage.product.seed(url, { tasks })
  await indexSeeded(productEnvironment(url, stage.folder), target)
  await stage.settle(url)
  const folder = join(stage.folder, 'load')
  writeTarget(folder, target)
  const rests = join(stage.folder, 'index-rests')
  const server = await stage.start(url, { environment: { ...planted(plants), [rests_variable]: rests } })
  await warmUp(server, { folder, job }, warm_requests)
  return { server, folder, key: target.key, rests }
}

await benchmark({
  name: 'search-writes',
  does: 'What the index of the search costs a create: the same load while the worker indexes and while it rests, in alternation.',
  engines: ['sqlite', 'postgres'],
  needs: ['wrk'],
  sizes: {
    tasks: { full: 100_000, quick: 5000, means: 'tasks in the database' },
    rounds: { full: 60, quick: 3, means: 'pairs of loads' },
    seconds: { full: 2, quick: 1, means: 'of each load' },
  },
  async run(stage, { tasks, rounds, seconds }) {
    const perSide = (): Record<Side, number[]> => ({ indexing: [], resting: [] })
    const measures: Measures = { rps: perSide(), cpu_us: perSide(), indexed: perSide() }
    const loaded = await open(stage, tasks)
    for (let round = 0; round < rounds; round++) await loadBoth(stage, loaded, measures, seconds)
    await stage.stop(loaded.server)
    return figuresOf(measures, seconds)
  },
})

/** A pair of loads; which comes first alternates. */
async function loadBoth(stage: Stage, loaded: Loaded, { rps, cpu_us, indexed }: Measures, seconds: number) {
  const { server, folder, rests } = loaded
  const sides: readonly Side[] = ['indexing', 'resting']
  for (const side of rps.resting.length % 2 === 0 ? sides : sides.toReversed()) {
    if (side === 'resting') writeFileSync(rests, '')
    else rmSync(rests, { force: true })
    const before = await indexedSequence(loaded)
    const sample = await stage.measured(() => measure(server, { folder, job, seconds }, () => stage.databaseMicros()))
    if (sample.bad > 0) throw new Error(`${sample.bad} creates were refused.`)
    indexed[side].push((await indexedSequence(loaded)) - before)
    rps[side].push(sample.rps)
    cpu_us[side].push(sample.cpu_us + sample.database_us)
  }
  say(`round ${rps.resting.length}: ${rps.indexing.at(-1)?.toFixed(0)} and ${rps.resting.at(-1)?.toFixed(0)} creates/s`)
}

/** How far the index is. */
async function indexedSequence({ server, key }: Loaded): Promise<number> {
  const answer = await fetch(`${server.url}/v1/search?query=harbour&limit=1`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  const body = (await answer.json()) as { indexed_sequence?: number }
  if (body.indexed_sequence === undefined) throw new Error(`The search answered ${answer.status}.`)
  return body.indexed_sequence
}

/** Ratios within each round, whose two loads met the same machine. */
function figuresOf({ rps, cpu_us, indexed }: Measures, seconds: number): Figure[] {
  const slower = median(rps.resting.map((without, round) => without / (rps.indexing[round] as number)))
  const more = median(cpu_us.indexing.map((spent, round) => spent / (cpu_us.resting[round] as number)))
  const note = `${median(rps.indexing).toFixed(0)} creates/s beside the worker, ${median(rps.resting).toFixed(0)} without`
  return [
    { name: 'time of a create beside the worker', value: slower, unit: 'times', goal: { at_most: 1.05 }, note },
    { name: 'CPU time of a create beside the worker', value: more, unit: 'times' },
    { name: 'indexed meanwhile', value: median(indexed.indexing) / seconds, unit: 'events/s' },
    { name: 'indexed while it rests', value: median(indexed.resting) / seconds, unit: 'events/s' },
  ]
}
