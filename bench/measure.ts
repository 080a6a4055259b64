/** One measurement: wrk drives a job from its own core while the CPU time of the server's process is counted. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { machineSeconds, type ServerProcess } from './server-process.ts'
import type { Job } from './target.ts'

export const server_core = 0
const load_core = 1
const connections = 64

export interface Sample {
  readonly rps: number
  /** CPU time of the server's process for one request. */
  readonly cpu_us: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** Answers that were neither 2xx nor 3xx, and broken connections. */
  readonly bad: number
  /** Cores that something else than the server kept busy; the load itself takes up to one. */
  readonly others: number
  readonly mib: number
}

/** The programs that are needed and not there. */
export function missingPrograms(): string[] {
  return ['wrk', 'taskset'].filter((program) => {
    try {
      execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
      return false
    } catch {
      return true
    }
  })
}

let runs = 0

async function drive(url: string, folder: string, job: Job, seconds: number): Promise<string> {
  const script = join(import.meta.dirname, 'load.lua')
  const run = `${Date.now().toString(36)}-${runs++}`
  // wrk takes whole seconds only.
  const duration = `${Math.max(1, Math.round(seconds))}s`
  const child = spawn(
    'taskset',
    [
      ...['-c', String(load_core), 'wrk', '-t1', `-c${connections}`, `-d${duration}`, '--latency'],
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

/** A machine busy with other things warms up slowly; it is not waited for longer. */
const warm_runs_max = 4

/** Loads without measuring until so many requests are answered, so that code is compiled and caches are filled. */
export async function warmUp(server: ServerProcess, folder: string, job: Job, requests: number): Promise<void> {
  let answered = 0
  for (let run = 0; run < warm_runs_max && answered < requests; run++) {
    answered += requestsOf(await drive(server.url, folder, job, 1))
  }
}

function requestsOf(output: string): number {
  const requests = Number(/(\d+) requests in/.exec(output)?.[1])
  if (requests > 0) return requests
  throw new Error(`wrk counted no requests:\n${output}`)
}

export async function measure(server: ServerProcess, folder: string, job: Job, seconds: number): Promise<Sample> {
  const cpu = server.cpuMicros()
  const machine = machineSeconds()
  const from = performance.now()
  const output = await drive(server.url, folder, job, seconds)
  const elapsed = (performance.now() - from) / 1000
  const used = server.cpuMicros() - cpu
  const find = (pattern: RegExp) => pattern.exec(output)?.[1]
  return {
    rps: Number(find(/Requests\/sec:\s+([\d.]+)/)),
    cpu_us: used / requestsOf(output),
    p50_ms: milliseconds(find(/^\s+50%\s+(\S+)/m)),
    p99_ms: milliseconds(find(/^\s+99%\s+(\S+)/m)),
    bad: Number(find(/Non-2xx or 3xx responses: (\d+)/) ?? 0) + (output.includes('Socket errors') ? 1 : 0),
    others: Math.max(0, (machineSeconds() - machine - used / 1e6) / elapsed),
    mib: server.residentMib(),
  }
}

const units: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 }

function milliseconds(text: string | undefined): number {
  const match = /^([\d.]+)(us|ms|s)$/.exec(text ?? '')
  return match === null ? Number.NaN : Number(match[1]) * (units[match[2] as string] as number)
}
