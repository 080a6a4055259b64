/**
 * Separates what a create costs in the request from what workers do for it afterwards. The program runs with a planted switch: workers
 * named in a file rest. Only a measurement that ends when all others are idle counts all their work, because they let a busy process
 * pass first.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Plant, planted } from '../proof/plant.ts'
import { buildPlanted } from '../proof/planted-build.ts'
import { replace } from '../proof/planted-fault.ts'
import { type Load, measure, type Sample } from './measure.ts'
import { median } from './report.ts'
import type { ServerProcess } from './server-process.ts'
import { ask, type Stage } from './stage.ts'
import { writeTarget, writeTargets } from './target.ts'

const variable = 'BENCH_WORKERS_REST'
const all = 'all'

const plants: readonly Plant[] = [
  replace(
    'server/src/workers/index.ts',
    '// Another process runs it. This costs no statement.',
    `const { existsSync, readFileSync } = process.getBuiltinModule('node:fs')
    const file = process.env['${variable}'] ?? ''
    const names = existsSync(file) ? readFileSync(file, 'utf8').split(',') : []
    if (names.includes(worker.name) || names[0] === '${all}') {
      this.wait(worker.period_ms)
      return
    }`,
  ),
]

/** Workers that follow the event log from a position in a table; the others have nothing to do for a create. */
export const followers = {
  search_index: 'search_positions',
  text_index: 'text_positions',
  inbox: 'inbox_positions',
} as const
export type Follower = keyof typeof followers

/** The sizes of benchmarks that compare one organization with many. */
export const organization_sizes = {
  organizations: { full: 64, quick: 8, means: 'organizations, each with a key' },
  tasks: { full: 1_000, quick: 100, means: 'tasks of each organization' },
  rounds: { full: 3, quick: 1, means: 'rounds' },
  seconds: { full: 5, quick: 2, means: 'seconds per load' },
} as const

/** A server with the switch over a database of many organizations, and the loads for one of them and for all. */
export interface Followed {
  readonly url: string
  readonly server: ServerProcess
  readonly workers: SwitchedWorkers
  readonly folders: { readonly one: string; readonly many: string }
}

export async function openFollowed(
  stage: Stage,
  name: string,
  { organizations, tasks }: { readonly organizations: number; readonly tasks: number },
): Promise<Followed> {
  await buildPlanted(plants)
  const url = await stage.newDatabase(name)
  const seeded = await stage.product.seedOrganizations(url, { tasks }, organizations)
  await stage.settle(url)
  const workers = new SwitchedWorkers(stage.folder, url, () => stage.databaseMicros())
  const server = await stage.start(url, { environment: workers.environment })
  const folders = { one: join(stage.folder, 'one'), many: join(stage.folder, 'many') }
  writeTargets(folders.many, seeded)
  for (const target of seeded.slice(0, 1)) writeTarget(folders.one, target)
  await workers.untilIdle(server)
  return { url, server, workers, folders }
}

const look_ms = 500
/** A look counts as idle up to this multiple of the CPU time that program and database take while nothing happens… */
const idle_times = 1.5
/** …or up to this CPU time; this number of idle looks in a row ends a wait. */
const idle_us_min = 30_000
const idle_looks = 3
const wait_max_ms = 300_000

export interface FollowedLoad {
  readonly load: Sample
  /**
   * CPU time per request of the program and its database, from the load's start until the workers were idle, without what both take
   * while nothing happens.
   */
  readonly total_us: number
}

/** Looks at the idle program after a load. */
const rate_looks = 11

export class SwitchedWorkers {
  private readonly file: string
  private readonly database: string
  private readonly databaseMicros: () => number
  private resting: readonly string[] = []
  /** The CPU time of an idle look; null before the first wait. */
  private idle_us: number | null = null

  /** `databaseMicros`: the CPU time of all servers of the database at this URL. */
  constructor(folder: string, database: string, databaseMicros: () => number) {
    this.file = join(folder, 'workers-rest')
    this.database = database
    this.databaseMicros = databaseMicros
  }

  /** For the program's start, which has the switch. */
  get environment(): Record<string, string> {
    return { ...planted(plants), [variable]: this.file }
  }

  /** These rest from their next run on: all of them, or those named. Call it while they are idle. */
  rest(names: 'all' | readonly string[]): void {
    this.resting = names === all ? Object.keys(followers) : names
    if (names.length === 0) rmSync(this.file, { force: true })
    else writeFileSync(this.file, names === all ? all : names.join())
  }

  /**
   * CPU time of the idle program and its database, with the looks of `untilIdle`, in microseconds per millisecond. It is measured after
   * each load, because tables that have grown change what an idle database does. The median leaves out bursts such as a vacuum.
   */
  private async idleRate(server: ServerProcess): Promise<number> {
    const rates: number[] = []
    while (rates.length < rate_looks) {
      const [from, before] = [performance.now(), this.micros(server)]
      await sleep(look_ms)
      await this.behind()
      rates.push((this.micros(server) - before) / (performance.now() - from))
    }
    return median(rates)
  }

  private micros(server: ServerProcess): number {
    return server.cpuMicros() + this.databaseMicros()
  }

  /** One load, and then the wait for the workers that do not rest. */
  async measure(server: ServerProcess, load: Load): Promise<FollowedLoad> {
    const before = this.micros(server)
    const sample = await measure(server, load, this.databaseMicros)
    const from = performance.now()
    await this.untilIdle(server)
    const [after, waited_ms] = [this.micros(server), performance.now() - from]
    const idle_us = (await this.idleRate(server)) * waited_ms
    return { load: sample, total_us: (after - before - idle_us) / sample.requests }
  }

  /** Waits until the workers have read all events, and neither program nor database does anything. */
  async untilIdle(server: ServerProcess): Promise<void> {
    const until = performance.now() + wait_max_ms
    const idle_us = this.idle_us ?? (await this.findIdle(server))
    this.idle_us = idle_us
    for (let looks = 0; looks < idle_looks; ) {
      if (performance.now() > until) throw new Error('the workers were not idle in time')
      const before = this.micros(server)
      await sleep(look_ms)
      const isQuiet = this.micros(server) - before <= idle_us
      looks = isQuiet && (await this.behind()) === 0 ? looks + 1 : 0
    }
  }

  /** A cluster of several servers takes more while nothing happens than one server does. */
  private async findIdle(server: ServerProcess): Promise<number> {
    const until = performance.now() + wait_max_ms
    while ((await this.behind()) > 0) {
      if (performance.now() > until) throw new Error('the workers did not read all events in time')
      await sleep(look_ms)
    }
    return Math.max(idle_us_min, idle_times * look_ms * (await this.idleRate(server)))
  }

  private async behind(): Promise<number> {
    let count = 0
    for (const [name, table] of Object.entries(followers)) {
      if (this.resting.includes(name)) continue
      const [row] = await ask(
        this.database,
        `select count(*)::int as count from event_heads left join ${table} as position using (realm)
          where coalesce(position.sequence, 0) <> event_heads.sequence`,
      )
      count += row?.count as number
    }
    return count
  }
}
