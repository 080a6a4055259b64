/**
 * A disk that fails under a server: the n-th write or sync of a kind of file fails or is cut short, once or until repaired
 * (`disk/faulty-disk.ts`), or the disk is full. A failed sync loses what it did not write, as on Linux. Each round ends with a
 * power cut, so nothing that rests on lost pages survives it.
 */
import { failRound } from '../disk/fail-round.ts'
import { faultyDiskSkipReason } from '../disk/faulty-disk.ts'
import { imageSkipReason } from '../disk/image.ts'
import { type EngineName, engines, row, type Trial } from '../row.ts'

/** After this many disk faults the database is examined, and the next round begins with an empty one. */
const round_faults = 24
/** Short rounds find planted faults sooner. */
const round_faults_of_planted = 6
/** One disk fault in this many is on PostgreSQL. */
const postgres_share = 6
/** Shorter runs leave out PostgreSQL: its cluster takes longer than they do. */
const postgres_from = 24

export const io = row({
  name: 'io',
  promise:
    'A write that the disk refused is never acknowledged; reads continue, writes are refused with 503, and the server recovers without a restart once the disk does.',
  cycle:
    'a disk fault under a server with mixed writes of 16 clients: a write or sync of some file that fails once or for a while, or a full disk',
  cycles: { short: 12, long: 2400 },
  unproven: [
    'Reads while PostgreSQL recovers: it ends all sessions when it cannot write its log or sync a file. Until it is back, reads are refused like writes.',
    'Reads whose credit window begins, or whose block of credits runs out, while the disk accepts no writes: they are refused with 503 `rate_limit_unavailable`.',
    'PostgreSQL on a file system that still shows log pages lost by a failed sync, as ext4 does: recovery takes them as written, and after a power failure soon afterwards PostgreSQL may not start (seen in one of 17 rounds, and again from its seed: no valid checkpoint record). Restore a backup then. Here memory shows what the disk holds.',
    'Disk reads that fail. Lengths and names of files count as durable at once.',
    'SQLite on a file system with blocks smaller than a memory page, as ext4 creates below 512 MiB: on a full disk SQLite may write to a page of its mapped index that has no block, and the process ends by SIGBUS (seen once in 65 rounds).',
    'On SQLite, two rare events together: a process that begins to write into a log the previous process could not sync, while another reads a long snapshot.',
  ],
  skipReason: async () => faultyDiskSkipReason(),
  async run(trial) {
    const noImage = await imageSkipReason()
    const each = trial.fault === null ? round_faults : round_faults_of_planted
    for (const [engine, faults] of faultsPerEngine(trial)) {
      for (let left = faults; left > 0 && !trial.isOver; left -= each) {
        await failRound(trial, engine, Math.min(left, each))
        trial.say(`${engine}: ${Math.max(0, left - each)} faults to go`)
      }
    }
    return { cycles: trial.cycles, ...(noImage === null ? {} : { figures: { 'no full disk': noImage } }) }
  },
})

function faultsPerEngine({ cycles, engines: tried }: Trial): (readonly [EngineName, number])[] {
  if (tried.length < engines.length) return tried.map((engine) => [engine, cycles] as const)
  const postgres = cycles < postgres_from ? 0 : Math.ceil(cycles / postgres_share)
  return [
    ['sqlite', cycles - postgres],
    ['postgres', postgres],
  ]
}
