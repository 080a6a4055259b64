/**
 * Ends a process behind a commit that the environment names by its number (`PROOF_PART_AT=3`), with the file of the
 * request log set aside as it was before: what SQLite leaves when it ends between the commits of its two files.
 */
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { logFileOf } from '../../server/src/db/sqlite-log-file.ts'

export const part_variable = 'PROOF_PART_AT'

let left = Number(process.env[part_variable] ?? Number.POSITIVE_INFINITY)

export function beforeCommit(file: string): void {
  if (--left !== 0) return
  const logs = logFileOf(file)
  for (const part of ['', '-wal']) {
    rmSync(`${logs}${part}.before`, { force: true })
    if (existsSync(logs + part)) copyFileSync(logs + part, `${logs}${part}.before`)
  }
}

export function afterCommit(): void {
  if (left === 0) process.kill(process.pid, 'SIGKILL')
}
