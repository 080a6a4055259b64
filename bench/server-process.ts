/** A server process, optionally pinned to a core, and its costs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpuMicros } from './machine.ts'

export interface ServerOptions {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Returns the server's address from the output line that reports readiness. */
  readonly ready: (line: string) => string | null
  readonly core?: number
  readonly cwd?: string
}

export interface ServerProcess {
  readonly pid: number
  readonly url: string
  /** Milliseconds from the start to readiness. */
  readonly started_ms: number
  /** CPU time of all threads so far, in microseconds. */
  cpuMicros(): number
  residentMib(): number
  /** Peak resident memory since `forgetPeak`. */
  peakMib(): number
  forgetPeak(): void
  /** Stops the process where it is, so that it takes nothing of another server's core, until `resume`. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/** Resolves when the server is ready. It does not outlive this process. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const pinned = options.core === undefined ? [] : ['taskset', '-c', String(options.core)]
  const [program, ...args] = [...pinned, ...options.command] as [string, ...string[]]
  const from = performance.now()
  const child = spawn(program, args, {
    env: { ...clean(process.env), ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  const url = await untilReady(child, options)
  const started_ms = performance.now() - from
  const pid = child.pid as number
  return {
    pid,
    url,
    started_ms,
    cpuMicros: () => cpuMicros(pid),
    residentMib: () => statusMib(pid, 'VmRSS'),
    peakMib: () => statusMib(pid, 'VmHWM'),
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      process.off('exit', end)
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

function statusMib(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024
}

/** Removes the tests' variables, because the product refuses variables it does not know. */
function clean(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('ATRIUM_')))
}

function untilReady(child: ChildProcess, options: ServerOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    let rest = ''
    const take = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000)
      const lines = (rest + chunk.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const url = options.ready(line)
        if (url !== null) resolve(url)
      }
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000)
    })
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`${options.command.join(' ')} ended with ${code}:\n${output}`)))
  })
}
