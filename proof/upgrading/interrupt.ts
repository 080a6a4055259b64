/**
 * An upgrade in a child process that is killed at a given point. On SQLite a transaction over both files commits in one and
 * then in the other, so the state between the two commits can be produced as well (`split-commit.ts`).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { logFileOf } from '../../server/src/db/sqlite/log/file.ts'
import { kill_plants } from '../kill-plants.ts'
import { kill_variable } from '../kill-points.ts'
import { type Plant, planted } from '../plant.ts'
import { replace } from '../planted-fault.ts'
import { split_variable } from './split-commit.ts'

const connection = 'server/src/db/sqlite/connection.ts'
const module = '../../../../proof/upgrading/split-commit.ts'
const limits_import = "import { db_limits } from '../limits.ts'"

/** Applied after `kill_plants`, whose calls mark where a transaction commits. */
const split_plants: readonly Plant[] = [
  replace(connection, limits_import, `${limits_import}\nimport { beforeCommit, afterCommit } from '${module}'`),
  replace(connection, "reach('before_commit')", "beforeCommit(this.file); reach('before_commit')"),
  replace(connection, "reach('after_commit')", "afterCommit(); reach('after_commit')"),
]

export interface Point {
  /** `between_commits`, or a name as in `kill-points.ts`. */
  readonly name: string
  readonly times: number
  readonly delay_us: number
}

/** Upgrades in a process that is killed at the point, unless the upgrade is done or refused before. */
export async function upgradeUntil(
  url: string,
  { name, times, delay_us }: Point,
): Promise<'killed' | 'done' | 'refused'> {
  const { PATH = '', HOME = '' } = process.env
  const isSplit = name === 'between_commits'
  const point = isSplit ? { [split_variable]: String(times) } : { [kill_variable]: `${name}:${times}:${delay_us}` }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'migrating.ts'), url], {
    env: { PATH, HOME, ...planted([...kill_plants, ...split_plants]), ...point },
    stdio: 'ignore',
  })
  await once(child, 'exit')
  const isKilled = child.signalCode === 'SIGKILL'
  if (isSplit && isKilled) restoreLogFile(url)
  return isKilled ? 'killed' : child.exitCode === 0 ? 'done' : 'refused'
}

/** Reverts the request log's file to before the last commit, as if only the database's file had committed. */
function restoreLogFile(url: string): void {
  const file = logFileOf(url.slice('file:'.length))
  for (const part of ['', '-wal']) {
    if (existsSync(`${file}${part}.before`)) renameSync(`${file}${part}.before`, file + part)
    else rmSync(file + part, { force: true })
  }
  rmSync(`${file}-shm`, { force: true })
}
