/**
 * A disk without room, for the files of this process alone: the operating system refuses to write beyond a size (RLIMIT_FSIZE), as it
 * does without room. Other processes, PostgreSQL among them, are not concerned. Needs prlimit(1) of util-linux.
 */
import { execFileSync } from 'node:child_process'

/** From now on no file of this process is written beyond `bytes`. */
export function fillDisk(bytes = 0): void {
  setLimit(String(bytes))
}

export function freeDisk(): void {
  setLimit('unlimited')
}

/** Only the soft limit, which the process may raise again. */
function setLimit(bytes: string): void {
  execFileSync('prlimit', [`--pid=${process.pid}`, `--fsize=${bytes}:`])
}
