/**
 * What each promise of a write costs on SQLite: `npm run bench:promises`. Several servers have copies of one database, and each copy
 * but the first leaves something out: the database ignores its rows, or lacks the indexes. The servers are loaded alternately, so
 * that disturbances affect all. What is left out is still prepared and checked by the program, so the figure is what its
 * storage and its followers cost.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { benchmark } from './command.ts'
import type { Figure } from './figures.ts'
import { copyDatabase } from './floors.ts'
import { measure, warmUp } from './measure.ts'
import { median } from './report.ts'
import type { ServerProcess } from './server-process.ts'
import type { Stage } from './stage.ts'
import { type Job, writeTarget } from './target.ts'

const ignore = (table: string) =>
  `create trigger ignore_${table} before insert on ${table} begin select raise(ignore); end`

/** Columns that a list is filtered or ordered by; the program itself reads the other indexes when it writes. */
const list_indexes = ['assignee', 'status', 'due', 'start', 'created', 'updated', 'completed', 'priority', 'title']

/** Statements by the file that they concern: the database, and that of the request log, which the server creates. */
interface Omission {
  readonly database?: readonly string[]
  readonly log?: readonly string[]
}

const promises: Readonly<Record<string, Omission>> = {
  'the audit entry': { database: [ignore('audit_entries')] },
  'the event, with search and inbox, which follow it': { database: [ignore('events')] },
  'the idempotency record': { database: [ignore('idempotency')] },
  'the request log': { log: [ignore('request_logs')] },
  'words of titles for filters': { database: [ignore('task_terms')] },
  'the indexes of lists': { database: list_indexes.map((name) => `drop index tasks_${name}`) },
}
const everything = 'all of these'
const shipped = 'as shipped'

const variants: readonly (readonly [string, Omission])[] = [
  [shipped, {}],
  ...Object.entries(promises),
  [everything, { database: all('database'), log: all('log') }],
]

function all(file: keyof Omission): string[] {
  return Object.values(promises).flatMap((omission) => omission[file] ?? [])
}

interface Variant {
  readonly name: string
  readonly server: ServerProcess
  readonly bytes: () => number
}

interface Cost {
  readonly cpu_us: number
  readonly bytes: number
}

await benchmark({
  name: 'promises',
  does: 'CPU time and bytes of a write, and how much of them each of its promises takes.',
  engines: ['sqlite'],
  needs: ['wrk'],
  sizes: {
    tasks: { full: 100_000, quick: 2_000, means: 'existing tasks' },
    rounds: { full: 9, quick: 1, means: 'rounds' },
    seconds: { full: 2, quick: 1, means: 'seconds per round and server' },
  },
  async run(stage, { tasks, rounds, seconds }) {
    const seeded = await stage.product.seedSqlite(tasks)
    const folder = join(stage.folder, 'load')
    writeTarget(folder, seeded)
    const running: Variant[] = []
    for (const [i, [name, omission]] of variants.entries()) running.push(await open(stage, i, name, omission))
    const figures: Figure[] = []
    for (const job of ['create', 'update'] as const) {
      const costs = await stage.measured(() => costsOf(running, { folder, job, seconds, rounds }))
      figures.push(...figuresOf(job, costs))
    }
    return figures
  },
})

async function open(stage: Stage, i: number, name: string, omission: Omission): Promise<Variant> {
  const folder = join(stage.folder, `variant-${i}`)
  const database = join(folder, 'product.db')
  copyDatabase(join(stage.folder, 'product.db'), database)
  leaveOut(database, omission.database)
  const server = await stage.start(`file:${database}`, { environment: { ATRIUM_DATA_DIR: folder } })
  leaveOut(join(folder, 'product-requests.db'), omission.log)
  server.pause()
  return { name, server, bytes: () => bytesWritten(server) }
}

function leaveOut(file: string, statements: readonly string[] = []): void {
  if (statements.length === 0) return
  const connection = new DatabaseSync(file)
  for (const statement of statements) connection.exec(statement)
  connection.close()
}

/** Bytes that the process has sent to the disk. */
function bytesWritten({ pid }: ServerProcess): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
}

interface Load {
  readonly folder: string
  readonly job: Job
  readonly seconds: number
  readonly rounds: number
}

/** The costs of a request by variant, one per round. Only one server runs at a time. */
async function costsOf(running: readonly Variant[], load: Load): Promise<Map<string, Cost[]>> {
  const costs = new Map(running.map(({ name }) => [name, [] as Cost[]]))
  for (let round = -1; round < load.rounds; round++) {
    for (const { name, server, bytes } of round % 2 === 0 ? running : running.toReversed()) {
      server.resume()
      // A server that stood still refuses what has waited too long, and renews its leases first.
      await warmUp(server, load, round < 0 ? 5000 : 1)
      if (round >= 0) {
        const before = bytes()
        const sample = await measure(server, load)
        if (sample.bad > 0) throw new Error(`${name}: ${sample.bad} requests of ${load.job} failed.`)
        costs.get(name)?.push({ cpu_us: sample.cpu_us, bytes: (bytes() - before) / (sample.rps * load.seconds) })
      }
      server.pause()
    }
  }
  return costs
}

/** Medians as shipped, and of the differences to it in the same round. */
function figuresOf(job: Job, costs: ReadonlyMap<string, readonly Cost[]>): Figure[] {
  const whole = costs.get(shipped) ?? []
  const middle = (of: (i: number) => number) => median(whole.map((_, i) => of(i)))
  const at = (name: string, i: number) => costs.get(name)?.[i] ?? { cpu_us: Number.NaN, bytes: Number.NaN }
  const cpu = middle((i) => at(shipped, i).cpu_us)
  return [
    { name: `${job}, ${shipped}`, value: cpu, unit: 'µs' },
    { name: `${job}, ${shipped}, written`, value: middle((i) => at(shipped, i).bytes / 1024), unit: 'KiB' },
    ...[...Object.keys(promises), everything].flatMap((name) => [
      {
        name: `${job}: ${name}`,
        value: middle((i) => at(shipped, i).cpu_us - at(name, i).cpu_us),
        unit: 'µs',
        note: `${Math.round((1000 * middle((i) => at(name, i).cpu_us / at(shipped, i).cpu_us)) / 10)} % of the CPU time remain without it`,
      },
      {
        name: `${job}: ${name}, written`,
        value: middle((i) => (at(shipped, i).bytes - at(name, i).bytes) / 1024),
        unit: 'KiB',
      },
    ]),
  ]
}
