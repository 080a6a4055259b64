/**
 * The benchmark: the product's figures as shares of floors measured in the same run, in alternating rounds.
 *
 *   npm run bench -- [--quick] [--pg] [--floors DIR] [--only REGEX] [--rounds N] [--seconds N] [--tasks N] [--out FILE]
 *
 * What each figure is and how to repeat one: README.md beside this file.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { Postgres } from '../server/test/postgres.ts'
import { Floors, floor_cases } from './floors.ts'
import { measure, missingPrograms, server_core, warmUp } from './measure.ts'
import { Product } from './product.ts'
import { type Case, resultOf, table } from './report.ts'
import type { ServerProcess } from './server-process.ts'
import { type Job, jobs, type Target, writeTags, writeTarget } from './target.ts'

const work = join(import.meta.dirname, '.work')

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    pg: { type: 'boolean', default: false },
    floors: { type: 'string' },
    only: { type: 'string', default: '.' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    tasks: { type: 'string', default: '100000' },
    out: { type: 'string', default: join(work, 'results.json') },
  },
})

const rounds = Number(given.rounds ?? 3)
const seconds = Number(given.seconds ?? (given.quick ? 1 : 5))
const warm_requests = given.quick ? 6000 : 30_000
const tasks = Number(given.tasks)

interface Side {
  readonly name: 'floor' | 'product'
  readonly folder: string
  readonly target: Target
  start(): Promise<ServerProcess>
}

type Engine = keyof typeof floor_cases

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

function casesOf(engine: Engine): Case[] {
  const only = new RegExp(given.only)
  return jobs.flatMap((job) => {
    const floor = floor_cases[engine][job]
    return floor === null || !only.test(`${engine} ${job}`)
      ? []
      : [{ engine, job, floor, samples: { floor: [], product: [] } }]
  })
}

/** Both sides run at once and are loaded in turns, so that whatever else the machine does meets both. */
async function runRound(round: number, cases: readonly Case[], sides: readonly [Side, Side]): Promise<void> {
  const servers = new Map<Side, ServerProcess>()
  try {
    for (const side of sides) {
      const server = await side.start()
      servers.set(side, server)
      await writeTags(side.folder, side.target, server.url)
      for (const job of warmingJobs(cases)) await warmUp(server, side.folder, job, warm_requests)
    }
    for (const one of cases) {
      for (const side of round % 2 === 1 ? sides : sides.toReversed()) {
        const server = servers.get(side) as ServerProcess
        const sample = await measure(server, side.folder, one.job, seconds)
        one.samples[side.name].push(sample)
        say(
          `round ${round} ${one.engine} ${one.job.padEnd(6)} ${side.name.padEnd(7)} ${sample.rps.toFixed(0).padStart(6)} req/s` +
            `  ${sample.cpu_us.toFixed(0).padStart(4)} µs  p99 ${sample.p99_ms.toFixed(1)} ms  others ${sample.others.toFixed(2)}`,
        )
      }
    }
  } finally {
    for (const server of servers.values()) await server.stop()
  }
}

/** Reads and writes at once warm most; what is measured without them is warmed by itself. */
function warmingJobs(cases: readonly Case[]): Job[] {
  const measured = cases.map(({ job }) => job)
  return measured.length > 2 ? ['mix', 'list'] : measured
}

async function runEngine(cases: readonly Case[], sides: readonly [Side, Side]): Promise<void> {
  if (cases.length === 0) return
  for (const side of sides) writeTarget(side.folder, side.target)
  for (let round = 1; round <= rounds; round++) await runRound(round, cases, sides)
}

async function runSqlite(floors: Floors, product: Product): Promise<Case[]> {
  const cases = casesOf('sqlite')
  if (cases.length === 0) return cases
  say(`seeding ${tasks} tasks`)
  await runEngine(cases, [
    side('floor', floors.seed(tasks), () => floors.startSqlite(server_core)),
    side('product', await product.seedSqlite(tasks), () => product.startSqlite(server_core)),
  ])
  return cases
}

function side(name: Side['name'], target: Target, start: Side['start']): Side {
  return { name, folder: join(work, 'load', name), target, start }
}

/** Commits wait for the disk, as on SQLite. Both sides write on into the databases of the round before. */
async function runPostgres(floors: Floors, product: Product): Promise<Case[]> {
  const cases = casesOf('postgres')
  if (cases.length === 0) return cases
  const { startPostgres } = await import('../server/test/postgres.ts')
  const server = await startPostgres({ fsync: true })
  try {
    const [floorUrl, productUrl] = [await newDatabase(server, 'floor'), await newDatabase(server, 'product')]
    say(`seeding ${tasks} tasks into PostgreSQL`)
    const floorTarget = floors.seed(tasks, floorUrl)
    const productTarget = await product.seedPostgres(productUrl, tasks)
    await ask(productUrl, 'vacuum analyze')
    await runEngine(cases, [
      side('floor', floorTarget, () => floors.startPostgres(floorUrl, server_core)),
      side('product', productTarget, () => product.startPostgres(productUrl, server_core)),
    ])
  } finally {
    await server.stop()
  }
  return cases
}

async function newDatabase(server: Postgres, name: string): Promise<string> {
  await ask(server.url, `create database ${name}`)
  const url = new URL(server.url)
  url.pathname = `/${name}`
  return url.href
}

async function ask(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(statement)
  await client.end()
}

async function main(): Promise<number> {
  const missing = missingPrograms()
  if (missing.length > 0) {
    say(
      `bench: ${missing.join(' and ')} not found. wrk makes the load, taskset (util-linux, Linux only) pins it and the server`,
    )
    say('to cores of their own; without them figures would mean nothing. On Debian: apt install wrk util-linux')
    return 1
  }
  mkdirSync(work, { recursive: true })
  const floors = new Floors(work, given.floors === undefined ? undefined : resolve(given.floors))
  const product = new Product(work)
  const cases = await runSqlite(floors, product)
  if (given.pg) cases.push(...(await runPostgres(floors, product)))
  const results = cases.map(resultOf)
  console.log(table(results))
  writeFileSync(given.out, `${JSON.stringify({ rounds, seconds, tasks, results, cases }, null, 1)}\n`)
  say(
    `\nshare: the product's requests a second by the floor's; CPU share: the floor's CPU time a request by the product's.`,
  )
  say(`All samples: ${given.out}`)
  return results.every(({ product, floor }) => product.bad + floor.bad === 0) ? 0 : 1
}

process.exitCode = await main()
