/**
 * What many organizations cost on PostgreSQL: CPU time of a request (server and database) whose load is spread over all of
 * them, divided by that of the same request for one of them, alternating in one run: `npm run bench:organizations`.
 * ATRIUM_TEST_CITUS_PROGRAMS, a folder with `initdb` and `postgres` that have the extension, adds the same on a cluster of a
 * coordinator and two workers, divided by that on PostgreSQL.
 */
import { join } from 'node:path'
import { bytesOfPlans, startCitus } from '../server/test/citus.ts'
import { benchmark, say } from './command.ts'
import type { Figure } from './figures.ts'
import { measure, type Sample, warmUp } from './measure.ts'
import { median } from './report.ts'
import type { ServerProcess } from './server-process.ts'
import { ask, type Stage } from './stage.ts'
import { type Job, writeTarget, writeTargets } from './target.ts'

const compared: readonly Job[] = ['get', 'list', 'create']
/** Times the CPU time of the same request for one organization. */
const goals: Partial<Record<Job, number>> = { create: 1.5 }
/** Times the CPU time of the same request on PostgreSQL. */
const citus_goals: Partial<Record<Job, number>> = { get: 1.3, create: 1.3 }
const idle_seconds = 5

interface Both {
  readonly one: Sample
  readonly many: Sample
}

function cpuOf(sample: Sample): number {
  return sample.cpu_us + sample.database_us
}

function figuresOf(job: Job, organizations: number, rounds: readonly Both[]): Figure[] {
  const bad = rounds.flatMap(({ one, many }) => [one, many]).reduce((total, sample) => total + sample.bad, 0)
  if (bad > 0) throw new Error(`${bad} bad answers to ${job}`)
  const goal = goals[job]
  const figures: Figure[] = []
  for (const side of ['one', 'many'] as const) {
    const name = `${job}, ${side === 'one' ? '1 organization' : `${organizations} organizations`}`
    const of = (value: (sample: Sample) => number) => median(rounds.map((round) => value(round[side])))
    figures.push(
      { name: `${name}: CPU time`, value: of(cpuOf), unit: 'µs' },
      { name: `${name}: of it PostgreSQL`, value: of((sample) => sample.database_us), unit: 'µs' },
    )
  }
  figures.push({
    name: `${job}: CPU time with ${organizations} organizations`,
    value: median(rounds.map(({ one, many }) => cpuOf(many) / cpuOf(one))),
    unit: 'times one',
    ...(goal === undefined ? {} : { goal: { at_most: goal } }),
  })
  return figures
}

type Sizes = Readonly<Record<'organizations' | 'tasks' | 'rounds' | 'seconds', number>>

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

/** Requests for all organizations on a Citus cluster, and on PostgreSQL by `server` with the targets in `plain`, alternating. */
async function citusFigures(stage: Stage, server: ServerProcess, plain: string, sizes: Sizes): Promise<Figure[]> {
  const programs = process.env.ATRIUM_TEST_CITUS_PROGRAMS
  if (programs === undefined) {
    say('Not measured on Citus: ATRIUM_TEST_CITUS_PROGRAMS is not set.')
    return []
  }
  const { organizations, tasks, rounds, seconds } = sizes
  await using citus = await startCitus(programs, true)
  const nodes = [citus.coordinator, ...citus.workers]
  const seeded = await stage.product.seedOrganizations(citus.url, { tasks }, organizations)
  await stage.settle(citus.url)
  await reusePlans(
    citus.url,
    nodes.map(({ url }) => url),
  )
  const folder = join(stage.folder, 'citus')
  writeTargets(folder, seeded)
  const onCitus = await stage.start(citus.url)
  const nodesMicros = () => nodes.reduce((sum, node) => sum + stage.microsOf(node), 0)
  const figures: Figure[] = []
  for (const job of compared) {
    await warmUp(onCitus, { folder, job }, seconds * 1000)
    const ratios: number[] = []
    const samples: Sample[] = []
    for (let i = 0; i < rounds; i++) {
      const load = { job, seconds }
      const one = await stage.measured(() => measure(server, { folder: plain, ...load }, () => stage.databaseMicros()))
      const other = await stage.measured(() => measure(onCitus, { folder, ...load }, nodesMicros))
      if (one.bad + other.bad > 0) throw new Error(`${one.bad} bad answers to ${job}, ${other.bad} on Citus`)
      samples.push(other)
      ratios.push(cpuOf(other) / cpuOf(one))
    }
    const name = `${job}, ${organizations} organizations on Citus`
    const goal = citus_goals[job]
    figures.push(
      { name: `${name}: CPU time`, value: median(samples.map(cpuOf)), unit: 'µs' },
      { name: `${name}: of it PostgreSQL`, value: median(samples.map((each) => each.database_us)), unit: 'µs' },
      {
        name: `${job}: CPU time on Citus with ${organizations} organizations`,
        value: median(ratios),
        unit: 'times PostgreSQL',
        ...(goal === undefined ? {} : { goal: { at_most: goal } }),
      },
    )
  }
  await stage.stop(onCitus)
  return figures
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
  sizes: {
    organizations: { full: 64, quick: 8, means: 'organizations, each with a key' },
    tasks: { full: 1_000, quick: 100, means: 'tasks of each organization' },
    rounds: { full: 3, quick: 1, means: 'rounds' },
    seconds: { full: 5, quick: 2, means: 'seconds per load' },
  },
  async run(stage, { organizations, tasks, rounds, seconds }) {
    const url = await stage.newDatabase('organizations')
    const seeded = await stage.product.seedOrganizations(url, { tasks }, organizations)
    await stage.settle(url)
    const server = await stage.start(url)
    const folders = { one: join(stage.folder, 'one'), many: join(stage.folder, 'many') }
    writeTargets(folders.many, seeded)
    for (const target of seeded.slice(0, 1)) writeTarget(folders.one, target)
    for (const folder of Object.values(folders))
      for (const job of compared) await warmUp(server, { folder, job }, seconds * 1000)
    const sample = (folder: string, job: Job) =>
      stage.measured(() => measure(server, { folder, job, seconds }, () => stage.databaseMicros()))
    const figures: Figure[] = []
    for (const job of compared) {
      const taken: Both[] = []
      for (let i = 0; i < rounds; i++)
        taken.push({ one: await sample(folders.one, job), many: await sample(folders.many, job) })
      figures.push(...figuresOf(job, organizations, taken))
    }
    figures.push(...(await idleFigures(stage, server)))
    return [...figures, ...(await citusFigures(stage, server, folders.many, { organizations, tasks, rounds, seconds }))]
  },
})
