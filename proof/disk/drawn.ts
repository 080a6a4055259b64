/** Faults of a disk by chance: any kind of call, of file, of error, of duration. */
import type { Dice } from '../dice.ts'
import type { EngineName } from '../row.ts'
import type { DiskFault } from './faulty.ts'

/** Commits may come to stand behind pages that memory shows and the disk does not have, when a restart follows. */
export const believing: DiskFault = { what: 'sync', files: ['log'], nth: 1, error: 'EIO', times: null }

/** Of a checkpoint: the pieces that it copied before are lost with the last one. */
export const copying: DiskFault = { what: 'sync', files: ['data'], nth: 1, error: 'EIO', times: 1 }

/** How many calls of a kind there are in the time that a fault waits for: SQLite's commit syncs once and writes by pages. */
const calls_max = {
  sqlite: { write: { log: 40, data: 12, requests: 6 }, sync: { log: 6, data: 2, requests: 1 } },
  postgres: { write: { log: 4, data: 4, requests: 4 }, sync: { log: 6, data: 2, requests: 2 } },
} as const

/** `isOften`: whether checkpoints come often, for data is written by them only. */
export function drawFault(engine: EngineName, dice: Dice, isOften: boolean): DiskFault {
  const what = dice.pick(['write', 'sync'] as const)
  const rare = dice.pick(['data', 'requests'] as const)
  const where = dice.chance(0.6) || (rare === 'data' && !isOften) ? 'log' : rare
  const error = what === 'sync' ? 'EIO' : dice.pick(['EIO', 'ENOSPC', 'short'] as const)
  return {
    what,
    files: filesOf(engine, where, dice),
    nth: dice.int(1, calls_max[engine][what][where]),
    error,
    times: dice.pick([1, 1, 2, dice.int(3, 20), null]),
  }
}

/** PostgreSQL keeps the log of requests among its data. */
function filesOf(engine: EngineName, where: 'log' | 'data' | 'requests', dice: Dice): DiskFault['files'] {
  if (engine === 'postgres') return [where === 'log' ? 'log' : 'data']
  if (where === 'requests') return ['requests', 'request log']
  return dice.chance(0.2) ? ['log', 'data'] : [where]
}
