/**
 * What many organizations cost on PostgreSQL: CPU time of a request (server and database) whose load is spread over all of
 * them, divided by that of the same request for one of them, alternating in one run: `npm run bench:organizations`.
 * Workers rest during reads. A create is measured twice: while they rest, and with all that they do for it, until they are idle.
 * ATRIUM_TEST_CITUS_PROGRAMS, a folder with `initdb` and `postgres` that have the extension, adds the same on a cluster of a
 * coordinator and two workers, divided by that on PostgreSQL.
 */
import { join } from 'node:path'
import { bytesOfPlans, startCitus } from '../server/test/citus.ts'
import { benchmark, say } from './command.ts'
import type { Figure } from './figures.ts'
import { openFollowed, organization_sizes, SwitchedWorkers } from './follow-up.ts'
import { type Sample, warmUp } from './measure.ts'
import { median } from './report.ts'
import type { ServerProcess } from './server-process.ts'
import { ask, type Stage } from './stage.ts'
import { type Job, writeTargets } from './target.ts'

const compared: readonly Job[] = ['get', 'list', 'create']
/** Times the CPU time of the same request for one organization. */
const goals: Partial<Record<Job, number>> = { create: 1.5 }
/** Times the CPU time of the same request on PostgreSQL. */
const citus_goals: Partial<Record<Job, number>> = { get: 1.3, create: 1.3 }
const idle_seconds = 5

/** CPU time of a request. Of a read, both are the same. */
interface Cost {
  readonly request_us: number
  /** With what workers did for it afterwards. */
  readonly total_us: number
  readonly load: Sample
}

/** A running program with its requests. */
interface Side {
  readonly server: ServerProcess
  readonly workers: SwitchedWorkers
  readonly folder: string
}

function cpuOf(sample: Sample): number {
  return sample.cpu_us + sample.database_us
}

/** Measures a job on one side. Its workers are idle before and after. */
async function costOf(stage: Stage, { server, workers, folder }: Side, job: Job, seconds: number): Promise<Cost> {
  const sample = async () => {
    const measured = await stage.measured(() => workers.measure(server, { folder, job, seconds }))
    if (measured.load.bad > 0) throw new Error(`${measured.load.bad} bad answers to ${job}`)
    return measured
  }
  workers.rest('all')
  const { load } = await sample()
  const request_us = cpuOf(load)
  workers.rest([])
  if (job !== 'create') return { request_us, total_us: request_us, load }
  await workers.untilIdle(server)
  return { request_us, total_us: (await sample()).total_us, load }
}

/** `where` says of which organizations, on which engine. */
function costFigures(job: Job, where: string, costs: readonly Cost[]): Figure[] {
  const name = `${job}, ${where}`
  const of = (value: (cost: Cost) => number) => median(costs.map(value))
  const figures = [
    { name: `${name}: CPU time`, value: of(({ total_us }) => total_us), unit: 'µs' },
    { name: `${name}: of it PostgreSQL in the request`, value: of(({ load }) => load.database_us), unit: 'µs' },
  ]
  if (job !== 'create') return figures
  const follow = { name: `${name}: of it workers`, value: of((cost) => cost.total_us - cost.request_us), unit: 'µs' }
  return [...figures, { name: `${name}: of it the request`, value: of((cost) => cost.request_us), unit: 'µs' }, follow]
}

interface Ratio {
  readonly job: Job
  readonly what: string
  readonly unit: string
  readonly goal: number | undefined
}

/** How many times as much the second of each pair costs. */
function ratioFigures({ job, what, unit, goal }: Ratio, pairs: readonly (readonly [Cost, Cost])[]): Figure[] {
  const of = (value: (cost: Cost) => number) => median(pairs.map(([one, other]) => value(other) / value(one)))
  const name = `${job}: CPU time ${what}`
  const isNoise = pairs.flat().some(({ total_us, request_us }) => total_us < request_us)
  const unsure = isNoise ? { unsure: 'an idle database took more CPU time than the workers' } : {}
  const total = { name, value: of(({ total_us }) => total_us), unit, ...unsure }
  const figures = [goal === undefined ? total : { ...total, goal: { at_most: goal } }]
  if (job !== 'create') return figures
  return [...figures, { name: `${name}, the request alone`, value: of(({ request_us }) => request_us), unit }]
}

const sizes_of_both = {
  ...organization_sizes,
  shards: { full: 8, quick: 4, means: 'shards of the Citus cluster' },
} as const

type Sizes = Readonly<Record<keyof typeof sizes_of_both, number>>

/** Lets sessions keep plans if this Citus reuses them; some versions keep one more at each execution. */
async function reusePlans(coordinator: string, nodes: readonly string[]): Promise<void> {
  const changeAll = async (change: string) => {
    for (const url of nodes)
      for (const statement of [`alter system ${change}`, 'select pg_reload_conf()']) await ask(url, statement)
  }
  await changeAll(`set plan_cache_mode = 'auto'`)
  const [few, many] = [await bytesOfPlans(coordinator, 20), await bytesOfPlans(coordinator, 300)]
  const reused = few.every((bytes, i) => bytes === many[i])
  say(`This Citus ${reused ? 'reuses' : 'does not reuse'} plans on the node of a row.`)
  if (!reused) await changeAll('reset plan_cache_mode')
}

/** Requests for all organizations on a Citus cluster, and on PostgreSQL by `plain`, alternating. */
async function citusFigures(stage: Stage, plain: Side, sizes: Sizes): Promise<Figure[]> {
  const programs = process.env.ATRIUM_TEST_CITUS_PROGRAMS
  if (programs === undefined) {
    say('Not measured on Citus: ATRIUM_TEST_CITUS_PROGRAMS is not set.')
    return []
  }
  const { organizations, tasks, rounds, seconds, shards } = sizes
  await using citus = await startCitus(programs, true)
  await ask(citus.url, `alter database postgres set citus.shard_count = ${shards}`)
  const nodes = [citus.coordinator, ...citus.workers]
  const seeded = await stage.product.seedOrganizations(citus.url, { tasks }, organizations)
  await stage.settle(citus.url)
  await reusePlans(
    citus.url,
    nodes.map(({ url }) => url),
  )
  const folder = join(stage.folder, 'citus')
  writeTargets(folder, seeded)
  const workers = new SwitchedWorkers(folder, citus.url, () =>
    nodes.reduce((sum, node) => sum + stage.microsOf(node), 0),
  )
  const server = await stage.start(citus.url, { environment: workers.environment })
  const other = { server, workers, folder }
  const figures: Figure[] = []
  for (const job of compared) await warm(other, job, seconds)
  await stage.settle(citus.url)
  for (const job of compared) {
    const pairs: (readonly [Cost, Cost])[] = []
    for (let i = 0; i < rounds; i++)
      pairs.push([await costOf(stage, plain, job, seconds), await costOf(stage, other, job, seconds)])
    const ratio = { job, what: `on Citus with ${organizations} organizations`, unit: 'times PostgreSQL' }
    figures.push(
      ...costFigures(
        job,
        `${organizations} organizations on Citus`,
        pairs.map(([, cost]) => cost),
      ),
      ...ratioFigures({ ...ratio, goal: citus_goals[job] }, pairs),
    )
  }
  await stage.stop(server)
  return figures
}

async function warm({ server, workers, folder }: Side, job: Job, seconds: number): Promise<void> {
  await warmUp(server, { folder, job }, seconds * 1000)
  await workers.untilIdle(server)
}

/** CPU time of a process without requests and of its database, as a share of one core. */
async function idleFigures(stage: Stage, server: ServerProcess): Promise<Figure[]> {
  const before = [server.cpuMicros(), stage.databaseMicros()] as const
  await stage.measured(() => new Promise((resolve) => setTimeout(resolve, idle_seconds * 1000)))
  const share = (now: number, then: number) => (now - then) / (idle_seconds * 10_000)
  return [
    { name: 'idle: server', value: share(server.cpuMicros(), before[0]), unit: '% of a core' },
    { name: 'idle: PostgreSQL', value: share(stage.databaseMicros(), before[1]), unit: '% of a core' },
  ]
}

await benchmark({
  name: 'organizations',
  does: 'CPU time of a request with many organizations compared with one, on PostgreSQL.',
  engines: ['postgres'],
  needs: ['wrk'],
  sizes: sizes_of_both,
  async run(stage, sizes) {
    const { organizations, tasks, rounds, seconds } = sizes
    const { url, server, workers, folders } = await openFollowed(stage, 'organizations', { organizations, tasks })
    const one = { server, workers, folder: folders.one }
    const many = { server, workers, folder: folders.many }
    for (const side of [one, many]) for (const job of compared) await warm(side, job, seconds)
    // Plans that were made while tables were empty are made again, as in a database that has been used for some minutes.
    await stage.settle(url)
    const figures: Figure[] = []
    for (const job of compared) {
      const pairs: (readonly [Cost, Cost])[] = []
      for (let i = 0; i < rounds; i++)
        pairs.push([await costOf(stage, one, job, seconds), await costOf(stage, many, job, seconds)])
      const ratio = { job, what: `with ${organizations} organizations`, unit: 'times one', goal: goals[job] }
      figures.push(
        ...costFigures(
          job,
          '1 organization',
          pairs.map(([cost]) => cost),
        ),
        ...costFigures(
          job,
          `${organizations} organizations`,
          pairs.map(([, cost]) => cost),
        ),
        ...ratioFigures(ratio, pairs),
      )
    }
    figures.push(...(await idleFigures(stage, server)))
    return [...figures, ...(await citusFigures(stage, many, sizes))]
  },
})
