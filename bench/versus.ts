/**
 * Compares two checkouts of Atrium: `npm run bench:versus -- DIRECTORY`. Both servers run at the same time on the
 * server's core and are loaded alternately in short rounds, so that disturbances affect both. The figure is the median
 * of the ratios of CPU time per request, this checkout's divided by the other one's; above 1 this one is slower. Seeded
 * over HTTP, because the schemas may differ.
 */
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { endOnSignals, say, wholeNumber } from './command.ts'
import { keep } from './figures.ts'
import { lacks, server_core } from './machine.ts'
import { measure, warmUp } from './measure.ts'
import { listeningAt, productEnvironment } from './product.ts'
import { median } from './report.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { onStage, type Stage } from './stage.ts'
import { type Job, type Target, writeTarget } from './target.ts'

const help = `npm run bench:versus -- DIRECTORY [options]

DIRECTORY is another checkout of Atrium, installed with npm ci.

  --rounds N     rounds of a second each (15)
  --jobs A,B     of get, list, update, create (all)
  --pg           on PostgreSQL
  --out FILE     the file for the figures
`

const compared: readonly Job[] = ['get', 'list', 'update', 'create']
const batch_size = 100
const batches = 20
const warm_requests = 5000

interface Side {
  readonly name: 'this' | 'other'
  readonly folder: string
  readonly server: ServerProcess
}

async function startSide(stage: Stage, name: Side['name'], root: string): Promise<Side> {
  const folder = join(stage.folder, name)
  const database = stage.engine === 'sqlite' ? `file:${join(folder, 'atrium.db')}` : await stage.newDatabase(name)
  const environment = productEnvironment(database, folder)
  const program = join(root, 'bin/atrium')
  const init = [...['init', '--organization', 'Bench', '--owner', 'owner@bench.example', '--plan', 'studio'], '--json']
  const founded = execFileSync(program, init, { env: { PATH: process.env.PATH, ...environment }, encoding: 'utf8' })
  const key = (JSON.parse(founded) as { api_key: { secret: string } }).api_key.secret
  const server = await startServer({ command: [program, 'serve'], environment, ready: listeningAt, core: server_core })
  writeTarget(folder, await seed(server.url, key))
  return { name, folder, server }
}

/** Two thousand tasks in one project, through the API. */
async function seed(url: string, key: string): Promise<Target> {
  let writes = 0
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': `seed-${writes++}`,
    }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    const value = (await answer.json()) as Record<string, unknown>
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(value)}`)
    return value
  }
  const workspace = (await post('/v1/workspaces', { title: 'Bench' })).id as string
  const project = (await post('/v1/projects', { workspace, name: 'Load' })).id as string
  const ids: string[] = []
  for (let i = 0; i < batches; i++) {
    const data = Array.from({ length: batch_size }, (_, k) => ({ project, title: `Task ${i * batch_size + k}` }))
    const made = (await post('/v1/tasks/batch', { workspace, data })) as { data: { id: string }[] }
    ids.push(...made.data.map(({ id }) => id))
  }
  return {
    key,
    ids,
    list: `/v1/tasks?workspace=${workspace}&limit=20&starting_after=`,
    create: { workspace, project, title: 'A task created under load', priority: 'high', labels: ['load'] },
    update: { title: 'Renamed NUMBER', priority: 'low' },
  }
}

/** The ratios of one job, one per round. */
async function ratiosOf(job: Job, sides: readonly [Side, Side], rounds: number, stage: Stage): Promise<number[]> {
  for (const { server, folder } of sides) await warmUp(server, { folder, job }, warm_requests)
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const costs = { this: 0, other: 0 }
    for (const { name, server, folder } of round % 2 === 0 ? sides : sides.toReversed()) {
      const sample = await measure(server, { folder, job, seconds: 1 }, () => stage.databaseMicros())
      if (sample.bad > 0) throw new Error(`${name}: ${sample.bad} requests of ${job} failed.`)
      costs[name] = sample.cpu_us + sample.database_us
    }
    ratios.push(costs.this / costs.other)
    say(`${job} ${round + 1}: ${costs.this.toFixed(1)} µs, other ${costs.other.toFixed(1)} µs`)
  }
  return ratios
}

/** Half of the ratios lie between the two. */
function quartiles(values: readonly number[]): [number, number] {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] as number
  return [at(0.25), at(0.75)]
}

async function main(): Promise<number> {
  const { values: given, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '15' },
      jobs: { type: 'string', default: compared.join(',') },
      pg: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  })
  const [directory] = positionals
  if (given.help || directory === undefined) {
    process.stdout.write(help)
    return given.help ? 0 : 2
  }
  const lacking = lacks(['wrk', 'taskset'])
  for (const sentence of lacking) say(`bench:versus: ${sentence}`)
  if (lacking.length > 0) return 2
  const jobs = given.jobs.split(',').map(knownJob)
  const rounds = wholeNumber('rounds', given.rounds)
  const engine = given.pg ? 'postgres' : 'sqlite'
  return await onStage(engine, 'versus', async (stage) => {
    const own = await startSide(stage, 'this', join(import.meta.dirname, '..'))
    const other = await startSide(stage, 'other', resolve(directory))
    try {
      const figures = []
      for (const job of jobs) {
        const ratios = await ratiosOf(job, [own, other], rounds, stage)
        figures.push({ name: `${engine} ${job}, CPU by the other`, value: median(ratios), unit: '' })
        const [low, high] = quartiles(ratios)
        console.log(
          `${job.padEnd(8)} ${median(ratios).toFixed(3)}  half between ${low.toFixed(3)} and ${high.toFixed(3)}`,
        )
      }
      const outcome = { name: 'versus', figures, others: stage.others(), options: { rounds, engine, jobs: given.jobs } }
      say(`written: ${keep(outcome, { file: given.out, full: false })}`)
      return 0
    } finally {
      await Promise.all([own.server.stop(), other.server.stop()])
    }
  })
}

function knownJob(name: string): Job {
  const job = compared.find((each) => each === name)
  if (job === undefined) throw new Error(`--jobs names "${name}". Use ${compared.join(', ')}.`)
  return job
}

endOnSignals()
const code = await main().catch((error) => {
  say(`bench:versus: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  return 2
})
// Ends servers that a failure left running.
process.exit(code)
