/**
 * The processor time of test files: unlike their duration it does not depend on what runs beside them. A test process adds a
 * line for each of its files, which the runner reads for the report. It counts the processes that a file started and that
 * ended, on Linux only; the suite's PostgreSQL server is not counted.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { relative, resolve } from 'node:path'

/** Names the file of lines: a path and its milliseconds. */
export const processor_time_variable = 'ATRIUM_TEST_PROCESSOR_TIMES'

/** Linux counts in hundredths of a second, whatever the machine. */
const tick_ms = 10

let noted_ms = 0

/** Notes what this process has used since the last note as the share of a file. */
export function noteProcessorTime(file: string): void {
  const path = process.env[processor_time_variable]
  if (path === undefined) return
  const used_ms = ownTime() + childrenTime()
  appendFileSync(path, `${relative(process.cwd(), resolve(file))}\t${Math.round(used_ms - noted_ms)}\n`)
  noted_ms = used_ms
}

function ownTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Of children that ended; `cutime` and `cstime` of proc(5). */
function childrenTime(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number) as [number, number]
  return (user + system) * tick_ms
}

/** The milliseconds of each file noted so far. */
export function readProcessorTimes(path: string): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const [file, ms] = line.split('\t') as [string, string]
    times.set(file, (times.get(file) ?? 0) + Number(ms))
  }
  return times
}

/** Starts to count how much of the machine is unused, by whatever runs on it. Returns a function that tells the share so far, 0 to 1. */
export function countIdle(): () => number {
  const start = machineTime()
  return () => {
    const { idle, all } = machineTime()
    return (idle - start.idle) / Math.max(1, all - start.all)
  }
}

function machineTime(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((core) => core.times)
  return {
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
    all: times.reduce((sum, core) => sum + Object.values(core).reduce((a, b) => a + b, 0), 0),
  }
}
