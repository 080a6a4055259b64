/** One measurement: wrk sends a job from its own core while the server's CPU time is counted. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { load_core, watchOthers } from './machine.ts'
import type { ServerProcess } from './server-process.ts'
import type { Job } from './target.ts'

export const connections_usual = 64

export interface Sample {
  readonly requests: number
  readonly rps: number
  /** CPU time of the server process per request. */
  readonly cpu_us: number
  /** CPU time of the database server per request; 0 on SQLite. */
  readonly database_us: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** Answers other than 2xx and 3xx, and 1 if connections broke. */
  readonly bad: number
  /** Cores used by processes other than the server, its database and the load. */
  readonly others: number
  readonly mib: number
}

export interface Load {
  /** From `writeTarget`. */
  readonly folder: string
  readonly job: Job
  /** wrk takes whole seconds. */
  readonly seconds: number
  readonly connections?: number
}

let runs = 0

/** Runs wrk and returns its output. */
async function drive(url: string, load: Load): Promise<string> {
  const { folder, job, seconds, connections = connections_usual } = load
  const script = join(import.meta.dirname, 'load.lua')
  // Idempotency-Keys must be unique across runs.
  const run = `${Date.now().toString(36)}-${process.pid}-${runs++}`
  const duration = `${Math.max(1, Math.round(seconds))}s`
  const child = spawn(
    'taskset',
    [
      ...['-c', String(load_core), 'wrk', '-t1', `-c${connections}`, `-d${duration}`, '--timeout', '10s', '--latency'],
      ...['-s', script, url, '--', folder, job, run],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let output = ''
  const take = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`wrk ended with ${code}:\n${output}`)
  return output
}

/** A busy machine warms up slowly; this many runs suffice. */
const warm_runs_max = 4

/** Sends unmeasured load until `answers` requests are answered, to compile code and fill caches. */
export async function warmUp(
  server: ServerProcess,
  load: Pick<Load, 'folder' | 'job' | 'connections'>,
  requests: number,
): Promise<void> {
  let answered = 0
  for (let run = 0; run < warm_runs_max && answered < requests; run++) {
    answered += requestsOf(await drive(server.url, { ...load, seconds: 1 }))
  }
}

function requestsOf(output: string): number {
  return Number(/(\d+) requests in/.exec(output)?.[1])
}

/** Measures one load. `databaseMicros`: the CPU time of the database server. */
export async function measure(server: ServerProcess, load: Load, databaseMicros = () => 0): Promise<Sample> {
  const [cpu, database] = [server.cpuMicros(), databaseMicros()]
  const others = watchOthers(() => server.cpuMicros() + databaseMicros())
  const output = await drive(server.url, load)
  const requests = requestsOf(output)
  if (!(requests > 0)) throw new Error(`wrk counted no requests:\n${output}`)
  return {
    requests,
    rps: Number(find(output, /Requests\/sec:\s+([\d.]+)/)),
    cpu_us: (server.cpuMicros() - cpu) / requests,
    database_us: (databaseMicros() - database) / requests,
    p50_ms: milliseconds(find(output, /^\s+50%\s+(\S+)/m)),
    p99_ms: milliseconds(find(output, /^\s+99%\s+(\S+)/m)),
    bad: Number(find(output, /Non-2xx or 3xx responses: (\d+)/) ?? 0) + (output.includes('Socket errors') ? 1 : 0),
    others: others(),
    mib: server.residentMib(),
  }
}

function find(output: string, pattern: RegExp): string | undefined {
  return pattern.exec(output)?.[1]
}

const units: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 }

function milliseconds(text: string | undefined): number {
  const match = /^([\d.]+)(us|ms|s|m)$/.exec(text ?? '')
  return match === null ? Number.NaN : Number(match[1]) * (units[match[2] as string] as number)
}
