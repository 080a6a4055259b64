/**
 * What is planted where the product is simulated; it breaks nothing. Modules with variables of their own hand them to
 * `memory.ts`, and databases are opened as `database.ts` has them.
 */
import type { Plant } from '../plant.ts'

function owned(file: string, anchor: string, take: string, put: string): Plant {
  const path = `${'../'.repeat(file.split('/').length - 1)}proof/simulation/memory.ts`
  const text = `import { ownedByProcess } from '${path}'\nownedByProcess(() => (${take}), (state) => { ${put} })\n`
  return { file, find: anchor, put: `${text}${anchor}` }
}

const of_ids = '{ lastTime, timeText, high, middle, low, lowest, headText }'

export const simulation_plants: readonly Plant[] = [
  {
    file: 'server/src/db/sqlite-connection.ts',
    find: "import { DatabaseSync } from 'node:sqlite'",
    put: "import { DatabaseSync } from '../../../proof/simulation/database.ts'",
  },
  owned(
    'server/src/lib/ids.ts',
    'function startMillisecond(now: number): void {',
    of_ids,
    // What is left of the pool was drawn by another process.
    `(${of_ids} = state); poolNext = pool.length`,
  ),
  owned('server/src/lib/base62.ts', '/** `length` random base-62 characters', 'null', 'poolNext = pool.length'),
  owned('server/src/lib/turns.ts', '/** Resolves when the event loop has served others', 'last', 'last = state'),
]
