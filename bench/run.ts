/**
 * The main benchmark: the product's figures as shares of floors, measured in alternation in the same run and compared with the
 * goals: `npm run bench`. README.md in this folder explains the figures and how to repeat one.
 */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { endOnSignals, say, wholeNumber } from './command.ts'
import { exitCodeOf, figureTable, keep } from './figures.ts'
import { Floors, floor_cases } from './floors.ts'
import { lacks, server_core } from './machine.ts'
import { connections_usual, measure, warmUp } from './measure.ts'
import { type Case, goalFigures, nameOf, othersOf, resultOf, table } from './report.ts'
import type { ServerProcess } from './server-process.ts'
import { type Engine, onStage, type Stage, work } from './stage.ts'
import { type Job, jobs, type Target, writeTags, writeTarget } from './target.ts'

const help = `npm run bench -- [options]

  --quick        fewer tasks, one-second loads, SQLite only
  --pg           with --quick: PostgreSQL too
  --only REGEX   only these cases: '^sqlite get$', 'x1$' (latency at one connection), '^postgres'
  --floors DIR   other floors than bench/floors
  --rounds N     rounds, 3 at least for a median that is worth something
  --seconds N    time of a load
  --tasks N      tasks in both databases
  --out FILE     where the figures go

Exit code: 0 every goal met, 1 one missed, 2 nothing could be measured, 3 the machine cannot tell.
`

const { values: given } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    pg: { type: 'boolean', default: false },
    floors: { type: 'string' },
    only: { type: 'string', default: '.' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string' },
    tasks: { type: 'string' },
    out: { type: 'string' },
  },
})

const quick = given.quick === true
const rounds = wholeNumber('rounds', given.rounds)
const seconds = wholeNumber('seconds', given.seconds ?? (quick ? '1' : '5'))
const tasks = wholeNumber('tasks', given.tasks ?? (quick ? '20000' : '100000'))
const warm_requests = quick ? 4000 : 30_000
const full = { rounds: 3, seconds: 5, tasks: 100_000 }

interface Side {
  readonly name: 'floor' | 'product'
  readonly folder: string
  readonly target: Target
  start(): Promise<ServerProcess>
}

/** Jobs also measured with one connection, for the latency of the request itself. */
const measured_alone: readonly Job[] = ['get', 'create']

function casesOf(engine: Engine): Case[] {
  const only = new RegExp(given.only)
  const both = [
    ...jobs.map((job) => ({ engine, job, connections: connections_usual })),
    ...measured_alone.map((job) => ({ engine, job, connections: 1 })),
  ]
  return both.flatMap((one) => {
    const floor = floor_cases[engine][one.job as keyof (typeof floor_cases)['sqlite']]
    return floor === null || !only.test(nameOf(one)) ? [] : [{ ...one, floor, samples: { floor: [], product: [] } }]
  })
}

/** Both sides run at the same time and are loaded alternately, so that disturbances hit both. */
async function runRound(round: number, cases: readonly Case[], sides: readonly [Side, Side], stage: Stage) {
  const servers = new Map<Side, ServerProcess>()
  try {
    for (const side of sides) {
      const server = await side.start()
      servers.set(side, server)
      if (cases.some(({ job }) => job === '304')) await writeTags(side.folder, side.target, server.url)
      for (const job of warmingJobs(cases)) await warmUp(server, { folder: side.folder, job }, warm_requests)
    }
    for (const one of cases) {
      for (const side of round % 2 === 1 ? sides : sides.toReversed()) {
        const server = servers.get(side) as ServerProcess
        const load = { folder: side.folder, job: one.job, seconds, connections: one.connections }
        const sample = await measure(server, load, () => stage.databaseMicros())
        one.samples[side.name].push(sample)
        say(
          `round ${round} ${nameOf(one).padEnd(16)} ${side.name.padEnd(7)} ${sample.rps.toFixed(0).padStart(6)} req/s` +
            `  ${sample.cpu_us.toFixed(0).padStart(4)} µs  p99 ${sample.p99_ms.toFixed(1)} ms  others ${sample.others.toFixed(2)}`,
        )
      }
    }
  } finally {
    for (const server of servers.values()) await server.stop()
  }
}

/** Mixed reads and writes warm up most; other jobs are warmed up separately. */
function warmingJobs(cases: readonly Case[]): Job[] {
  const measured = [...new Set(cases.map(({ job }) => job))]
  return measured.length > 2 ? ['mix', 'list'] : measured
}

/** Commits are durable on both engines. On PostgreSQL both sides continue in the databases of the previous round. */
async function runEngine(engine: Engine, stage: Stage): Promise<Case[]> {
  const cases = casesOf(engine)
  const { product, folder } = stage
  const floors = new Floors(folder, given.floors === undefined ? undefined : resolve(given.floors), join(work, 'given'))
  say(`seeding ${tasks} tasks into ${engine}`)
  const side = (name: Side['name'], target: Target, start: Side['start']): Side => {
    const made = { name, folder: join(folder, 'load', name), target, start }
    writeTarget(made.folder, target)
    return made
  }
  const sides = async (): Promise<[Side, Side]> => {
    if (engine === 'sqlite') {
      return [
        side('floor', floors.seed(tasks), () => floors.startSqlite(server_core)),
        side('product', await product.seedSqlite(tasks), () => product.startSqlite(server_core)),
      ]
    }
    const [floorUrl, url] = [await stage.newDatabase('floor'), await stage.newDatabase('product')]
    const target = await product.seed(url, { tasks })
    await stage.settle(url)
    return [
      side('floor', floors.seed(tasks, floorUrl), () => floors.startPostgres(floorUrl, server_core)),
      side('product', target, () => product.start(url, { core: server_core })),
    ]
  }
  const both = await sides()
  for (let round = 1; round <= rounds; round++) await runRound(round, cases, both, stage)
  return cases
}

async function main(): Promise<number> {
  if (given.help) {
    process.stdout.write(help)
    return 0
  }
  const lacking = lacks(['wrk', 'taskset'])
  if (lacking.length > 0) {
    for (const sentence of lacking) say(`bench: ${sentence}`)
    return 2
  }
  const cases: Case[] = []
  for (const engine of quick && !given.pg ? (['sqlite'] as const) : (['sqlite', 'postgres'] as const)) {
    if (casesOf(engine).length === 0) continue
    cases.push(...(await onStage(engine, 'floors', (stage) => runEngine(engine, stage))))
  }
  if (cases.length === 0) throw new Error(`No case matches "${given.only}".`)
  const results = cases.map(resultOf)
  const options = { rounds, seconds, tasks, only: given.only, floors: given.floors ?? 'bench/floors' }
  const outcome = {
    name: 'floors',
    figures: goalFigures(results),
    others: Math.max(0, ...results.map(othersOf)),
    options,
  }
  console.log(`${table(results)}\n\n${figureTable(outcome)}`)
  const isFull = given.only === '.' && rounds >= full.rounds && seconds >= full.seconds && tasks >= full.tasks && !quick
  say(
    '\nshare: the product’s requests per second divided by the floor’s; CPU share: the floor’s CPU time per request divided by the product’s',
  )
  say(`written: ${keep({ ...outcome, more: { results, cases } }, { file: given.out, full: isFull })}`)
  return results.some(({ product, floor }) => product.bad + floor.bad > 0) ? 2 : exitCodeOf(outcome)
}

endOnSignals()
process.exitCode = await main().catch((error) => {
  say(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  return 2
})
