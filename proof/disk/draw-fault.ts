/** Disk faults by chance: any kind of call, file, error and duration. */
import type { Dice } from '../dice.ts'
import type { EngineName } from '../row.ts'
import type { DiskFault } from './faulty-disk.ts'

/** The log's sync fails for good: after a restart, commits may follow pages that memory shows and the disk lacks. */
export const lost_log_sync: DiskFault = { what: 'sync', files: ['log'], nth: 1, error: 'EIO', times: null }

/** The sync of a checkpoint fails: the pages copied before are lost as well. */
export const lost_checkpoint_sync: DiskFault = { what: 'sync', files: ['data'], nth: 1, error: 'EIO', times: 1 }

/** How many calls of a kind occur while a fault waits: a SQLite commit syncs once and writes page by page. */
const calls_max = {
  sqlite: { write: { log: 40, data: 12, requests: 6 }, sync: { log: 6, data: 2, requests: 1 } },
  postgres: { write: { log: 4, data: 4, requests: 4 }, sync: { log: 6, data: 2, requests: 2 } },
} as const

/** Data files are written only by checkpoints, so they are rarely drawn unless those are frequent. */
export function drawFault(engine: EngineName, dice: Dice, hasFrequentCheckpoints: boolean): DiskFault {
  const what = dice.pick(['write', 'sync'] as const)
  const rare = dice.pick(['data', 'requests'] as const)
  const kind = dice.chance(0.6) || (rare === 'data' && !hasFrequentCheckpoints) ? 'log' : rare
  const error = what === 'sync' ? 'EIO' : dice.pick(['EIO', 'ENOSPC', 'short'] as const)
  return {
    what,
    files: filesOf(engine, kind, dice),
    nth: dice.int(1, calls_max[engine][what][kind]),
    error,
    times: dice.pick([1, 1, 2, dice.int(3, 20), null]),
  }
}

/** PostgreSQL keeps the request log in its data files. */
function filesOf(engine: EngineName, kind: 'log' | 'data' | 'requests', dice: Dice): DiskFault['files'] {
  if (engine === 'postgres') return [kind === 'log' ? 'log' : 'data']
  if (kind === 'requests') return ['requests', 'request log']
  return dice.chance(0.2) ? ['log', 'data'] : [kind]
}
