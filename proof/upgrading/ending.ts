/**
 * An upgrade in a process of its own that ends at a point of it. On SQLite a transaction that writes into both files
 * commits in one and then in the other: a process can also be made to look as if it had ended between the two.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { logFileOf } from '../../server/src/db/sqlite-log-file.ts'
import { kill_plants } from '../kill-plants.ts'
import { kill_variable } from '../kill-points.ts'
import { type Plant, planted } from '../plant.ts'
import { part_variable } from './parting.ts'

const connection = 'server/src/db/sqlite-connection.ts'
const parting = '../../../proof/upgrading/parting.ts'

/** On top of `kill_plants`, whose calls stand where a transaction commits. */
const part_plants: readonly Plant[] = [
  {
    file: connection,
    find: "import { limits } from '../lib/limits.ts'",
    put: `import { limits } from '../lib/limits.ts'\nimport { beforeCommit, afterCommit } from '${parting}'`,
  },
  { file: connection, find: "reach('before_commit')", put: "beforeCommit(this.file); reach('before_commit')" },
  { file: connection, find: "reach('after_commit')", put: "afterCommit(); reach('after_commit')" },
]

export interface Point {
  /** `parted`, or as in `kill-points.ts`. */
  readonly name: string
  readonly times: number
  readonly delay_us: number
}

/** Begins an upgrade in a process that ends at the point: whether it got there, was done before, or refused to go on. */
export async function endAt(url: string, { name, times, delay_us }: Point): Promise<'ended' | 'done' | 'refused'> {
  const { PATH = '', HOME = '' } = process.env
  const isParted = name === 'parted'
  const told = isParted ? { [part_variable]: String(times) } : { [kill_variable]: `${name}:${times}:${delay_us}` }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'migrating.ts'), url], {
    env: { PATH, HOME, ...planted([...kill_plants, ...part_plants]), ...told },
    stdio: 'ignore',
  })
  await once(child, 'exit')
  const isEnded = child.signalCode === 'SIGKILL'
  if (isParted && isEnded) partLogs(url)
  return isEnded ? 'ended' : child.exitCode === 0 ? 'done' : 'refused'
}

/** The log's file as it was before the last commit: only the database's part of it was made. */
function partLogs(url: string): void {
  const file = logFileOf(url.slice('file:'.length))
  for (const part of ['', '-wal']) {
    if (existsSync(`${file}${part}.before`)) renameSync(`${file}${part}.before`, file + part)
    else rmSync(file + part, { force: true })
  }
  rmSync(`${file}-shm`, { force: true })
}
