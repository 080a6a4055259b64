/**
 * A disk that fails under a server and goes on: the n-th write or sync of a kind of file, with an error or half done, once
 * or until it is mended (`disk/faulty.ts`), and a disk that is full. A failed sync loses what it did not write, as on Linux, and each
 * round ends with a cut of the power: what rests on lost pages does not outlive it.
 */
import { failRound } from '../disk/failing.ts'
import { faultyHindrance } from '../disk/faulty.ts'
import { imageHindrance } from '../disk/image.ts'
import { type EngineName, row, type Trial } from '../row.ts'

/** After so many faults a database is examined, and the next begins with an empty one. What is planted is found sooner in short rounds. */
const round_faults = 24
const round_faults_of_planted = 6
/** Of the faults, PostgreSQL has one in so many; in shorter runs than this it has none, for its cluster alone costs more than they do. */
const postgres_share = 6
const postgres_from = 24

/** Which engine a planted fault is about: the other need not be tried. */
const about: Readonly<Record<string, EngineName>> = {
  commit_believed: 'sqlite',
  log_believed: 'sqlite',
  copied_in_part: 'sqlite',
  never_opened_anew: 'sqlite',
  fault_of_the_program: 'sqlite',
  lost_is_done: 'postgres',
}

export const io = row({
  name: 'io',
  promise:
    'A write that the disk refused is not acknowledged, then or later; reads go on, writes are refused with 503, and all goes on without a restart when the disk does.',
  cycle:
    'a fault of the disk under a server with mixed writes of 16 clients: a write or a sync of some file that fails once or for a while, or no room',
  cycles: { short: 12, long: 2400 },
  unproven: [
    'Reads while PostgreSQL recovers: it ends its sessions when it cannot write its log or sync a file, and answers nobody for a moment. Then they are refused like writes.',
    'Reads whose minute begins while the disk takes no write, or whose block of credits is used up then: more cannot be taken, and they are refused with 503 `rate_limit_unavailable`.',
    'PostgreSQL over a file system that goes on showing what a failed sync of its log has lost, as ext4 does: it takes that for written when it recovers, and when the power fails soon after, it may not start again (met in one of 17 rounds, and again from its seed: no valid checkpoint record). Restore a backup then. Here memory shows what the disk has.',
    'Reads of the disk that fail, and lengths and names of files: those are taken as being on disk at once.',
    'SQLite on a file system whose blocks are smaller than a page of memory, as ext4 makes them below 512 MiB: when it is full, SQLite may write to a page of its mapped index that has no room on disk, and the process ends by SIGBUS (seen once in 65 rounds).',
    'On SQLite, two rare things together: a process that begins to write into a log which the last one could not sync, and another that reads a long snapshot at that moment.',
  ],
  hindrance: async () => faultyHindrance(),
  async run(trial) {
    const figures: Record<string, number | string> = {}
    const count = (name: string, more = 1): void => {
      figures[name] = Number(figures[name] ?? 0) + more
    }
    let found = 0
    const isEnough = (): boolean => trial.fault !== null && found > 0
    const hindrance = await imageHindrance()
    if (hindrance !== null) figures['no full disk'] = hindrance
    const each = trial.fault === null ? round_faults : round_faults_of_planted
    for (const [engine, faults] of sharesOf(trial)) {
      for (let left = faults; left > 0 && !isEnough(); left -= each) {
        const violated = (text: string): void => {
          found++
          trial.violated(`${engine}: ${text}`)
        }
        const told = { dice: trial.dice.fork(), violated, isEnough, count }
        await failRound(engine, told, Math.min(left, each))
        trial.say(`${engine}: ${Math.max(0, left - each)} faults to go`)
      }
    }
    return { cycles: trial.cycles, figures }
  },
})

/** How many faults each engine gets: what is planted in one of them is tried there. */
function sharesOf({ cycles, fault }: Trial): (readonly [EngineName, number])[] {
  const tried = about[fault ?? '']
  if (tried !== undefined) return [[tried, cycles]]
  const postgres = cycles < postgres_from ? 0 : Math.ceil(cycles / postgres_share)
  return [
    ['sqlite', cycles - postgres],
    ['postgres', postgres],
  ]
}
