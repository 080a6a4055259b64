/** The processes that have something open below a folder, and how they are held still for a moment. Linux only. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** How long the last of them may take to stand still: a write or a sync that is under way ends first. */
const patience_ms = 10_000

/** Runs `act` while none of them does anything or is amid a write or a sync: what they were told so far is what holds. */
export function whileHeld(folder: string, act: () => void): void {
  const held = new Set<number>()
  try {
    for (const until = Date.now() + patience_ms; ; ) {
      const found = holdersOf(folder)
      // Whoever was started meanwhile by one of them is found the next time.
      if (found.every((pid) => held.has(pid)) && found.every(standsStill)) break
      if (Date.now() > until) throw new Error(`processes do not stand still: ${found.join()}`)
      for (const pid of found) {
        held.add(pid)
        signal(pid, 'SIGSTOP')
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
    act()
  } finally {
    for (const pid of held) signal(pid, 'SIGCONT')
  }
}

/** Others than this process: it has nothing under way while it is here. */
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

/** Each of its threads was stopped, or has ended. */
function standsStill(pid: number): boolean {
  return listed(`/proc/${pid}/task`).every((thread) => {
    const text = readOf(`/proc/${pid}/task/${thread}/stat`)
    return text === '' || /^[TZX]$/.test(text.slice(text.lastIndexOf(')') + 2)[0] ?? '')
  })
}

/** Processes end while they are looked at: then there is nothing to see. */
function seen<T>(look: () => T, nothing: T): T {
  try {
    return look()
  } catch {
    return nothing
  }
}

const listed = (path: string): string[] => seen(() => readdirSync(path), [])
const linked = (path: string): string => seen(() => readlinkSync(path), '')
const readOf = (path: string): string => seen(() => readFileSync(path, 'utf8'), '')
const signal = (pid: number, name: 'SIGSTOP' | 'SIGCONT'): boolean => seen(() => process.kill(pid, name), false)
