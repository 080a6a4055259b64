/** Allows one run at a time per journal. The lock of a process that has ended is ignored. */
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { Failure } from '../command.ts'

/** Takes the lock beside a journal; the result releases it. */
export function lock(journal: string): () => void {
  const path = `${journal}.lock`
  for (let attempt = 1; ; attempt++) {
    try {
      const file = openSync(path, 'wx', 0o600)
      writeSync(file, String(process.pid))
      closeSync(file)
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') {
        throw new Failure(`The journal cannot be locked: ${(error as Error).message}. Name another file with --state.`)
      }
      const holder = holderOf(path)
      if (attempt > 3 || (holder !== null && isAlive(holder))) {
        throw new Failure(
          `Another import (process ${holder ?? 'unknown'}) uses ${journal}. If none is running, remove ${path}.`,
        )
      }
      rmSync(path, { force: true })
    }
  }
}

function holderOf(path: string): number | null {
  try {
    const pid = Number(readFileSync(path, 'utf8'))
    return Number.isInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
