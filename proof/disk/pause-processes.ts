/** Pauses the processes that have files open below a folder. Linux only. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Pausing waits for writes and syncs in progress. */
const pause_ms_max = 10_000

/** Runs `act` while all of them are paused, none within a write or sync. */
export function whilePaused(folder: string, act: () => void): void {
  const paused = new Set<number>()
  try {
    for (const until = Date.now() + pause_ms_max; ; ) {
      const found = holdersOf(folder)
      // The next round finds processes started meanwhile.
      if (found.every((pid) => paused.has(pid)) && found.every(isStopped)) break
      if (Date.now() > until) throw new Error(`processes do not stop: ${found.join()}`)
      for (const pid of found) {
        paused.add(pid)
        signal(pid, 'SIGSTOP')
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
    act()
  } finally {
    for (const pid of paused) signal(pid, 'SIGCONT')
  }
}

/** Without this process, which writes nothing meanwhile. */
function holdersOf(folder: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isSafeInteger)
  return pids.filter((pid) => pid !== process.pid && opensBelow(folder, pid))
}

function opensBelow(folder: string, pid: number): boolean {
  const isBelow = (link: string): boolean => {
    const path = linked(link)
    return path === folder || path.startsWith(`${folder}/`)
  }
  return isBelow(`/proc/${pid}/cwd`) || listed(`/proc/${pid}/fd`).some((fd) => isBelow(`/proc/${pid}/fd/${fd}`))
}

/** All its threads are stopped or have ended. */
function isStopped(pid: number): boolean {
  return listed(`/proc/${pid}/task`).every((thread) => {
    const text = readOf(`/proc/${pid}/task/${thread}/stat`)
    return text === '' || /^[TZX]$/.test(text.slice(text.lastIndexOf(')') + 2)[0] ?? '')
  })
}

/** Returns the fallback if the process has ended meanwhile. */
function attempt<T>(act: () => T, fallback: T): T {
  try {
    return act()
  } catch {
    return fallback
  }
}

const listed = (path: string): string[] => attempt(() => readdirSync(path), [])
const linked = (path: string): string => attempt(() => readlinkSync(path), '')
const readOf = (path: string): string => attempt(() => readFileSync(path, 'utf8'), '')
const signal = (pid: number, name: 'SIGSTOP' | 'SIGCONT'): boolean => attempt(() => process.kill(pid, name), false)
