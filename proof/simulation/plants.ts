/**
 * Plants for the simulation, which break nothing: modules with variables register them with `memory.ts`, databases are opened by
 * `database.ts`, and the folder of files is `empty-disk.ts`.
 */
import type { Plant } from '../plant.ts'
import { replace } from '../planted-fault.ts'

function owned(file: string, anchor: string, take: string, put: string): Plant {
  const path = `${'../'.repeat(file.split('/').length - 1)}proof/simulation/memory.ts`
  const text = `import { ownedByProcess } from '${path}'\nownedByProcess(() => (${take}), (state) => { ${put} })\n`
  return replace(file, anchor, `${text}${anchor}`)
}

const of_ids = '{ lastTime, timeText, high, middle, low, lowest, headText }'

export const simulation_plants: readonly Plant[] = [
  replace(
    'server/src/db/sqlite/connection.ts',
    "import { DatabaseSync } from 'node:sqlite'",
    "import { DatabaseSync } from '../../../../proof/simulation/database.ts'",
  ),
  replace(
    'server/src/files/folder.ts',
    "rename, rm, stat } from 'node:fs/promises'",
    "rename, rm, stat } from '../../../proof/simulation/empty-disk.ts'",
  ),
  replace(
    'server/src/files/upload.ts',
    "open, readdir, rm } from 'node:fs/promises'",
    "open, readdir, rm } from '../../../proof/simulation/empty-disk.ts'",
  ),
  owned(
    'server/src/lib/ids.ts',
    'function startMillisecond(now: number): void {',
    of_ids,
    // The rest of the pool was drawn by another process.
    `(${of_ids} = state); poolNext = pool.length`,
  ),
  owned('server/src/lib/base62.ts', '/** `length` characters of base 62', 'null', 'poolNext = pool.length'),
  owned('server/src/lib/turns.ts', '/** Resolves after the event loop has run', 'last', 'last = state'),
]
