/**
 * Kills the process after its n-th commit (`PROOF_SPLIT_AT=3`) and keeps a copy of the request log's file from before it. With
 * that copy put back, the files are as after a crash between the commits of SQLite's two files.
 */
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { logFileOf } from '../../server/src/db/sqlite/log/file.ts'

export const split_variable = 'PROOF_SPLIT_AT'

let left = Number(process.env[split_variable] ?? Number.POSITIVE_INFINITY)

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
