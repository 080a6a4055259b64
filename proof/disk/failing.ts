/**
 * A server with writers on a disk that fails, fault after fault. A failed sync loses what it did not write, and in the end
 * the power fails. PostgreSQL ends all its sessions and recovers when it cannot write its log or sync a file, and
 * sometimes gives up; then it is started again as its supervisor would.
 */
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { examine, openMixed, told } from '../mixed.ts'
import type { EngineName } from '../row.ts'
import { believing, copying, drawFault } from './drawn.ts'
import { type DiskFault, FaultyDisk } from './faulty.ts'
import { assertWhole, type Grounded, openOn } from './grounded.ts'
import { Image, imageHindrance } from './image.ts'
import { often } from './often.ts'
import { Pace } from './pace.ts'
import { assertReads, assertRecovers, assertRefused, everybody, type Failing, type Told } from './trial.ts'

const mebibytes = { sqlite: 96, postgres: 224 } as const
/** Replies within which a fault should be met, and a disk be full that has no room left but inside its files. */
const meeting_max = 120
const filling_max = 4000
const refusals_min = 32
/** Acknowledged behind the last fault, at most, before the end. */
const last_max = 40

interface Trial extends Failing {
  readonly engine: EngineName
  readonly grounded: Grounded
  readonly disk: FaultyDisk
  /** What can be filled; `null`: nothing, for no image can be made here. */
  readonly image: Image | null
  readonly isOften: boolean
}

/** Tries so many faults, one behind the other, a full disk among them, and examines what is left in the end. */
export async function failRound(engine: EngineName, about: Told, faults: number): Promise<void> {
  const { dice, violated, count } = about
  const image = (await imageHindrance()) === null ? new Image(mebibytes[engine]) : null
  const folder = image?.folder ?? mkdtempSync(join(tmpdir(), 'atrium-faulty-'))
  chmodSync(folder, 0o755)
  const disk = new FaultyDisk(folder)
  const isOften = dice.chance(0.5)
  try {
    await using grounded = await openOn(folder, engine, { plants: isOften ? often : [], preload: disk.environment })
    const { place, server } = grounded
    // A cluster of PostgreSQL is made without waiting for the disk.
    image?.sync()
    // What PostgreSQL recovers from a log that memory shows and the disk does not have is its own doing.
    disk.lose(engine === 'postgres' ? 'held' : dice.pick(['written', 'written', 'held']))
    const { writers } = await openMixed(place, server.url, dice.fork())
    writers.start(() => server.url, place.installation.key)
    const trial = { ...about, engine, grounded, disk, image, isOften, place, server, writers, pace: new Pace(writers) }
    await told(violated, 'it does not go on', () => failAll(trial, faults))
    writers.giveUp()
    disk.disarm()
    for (const wrong of writers.wrong) violated(wrong)
    count('acknowledged', writers.answered.length)
    await grounded.stop(engine === 'sqlite')
    // Behind this nobody has a file open there any more.
    await image?.again()
    count('pages lost', disk.cut())
    await told(violated, 'it does not come back', () => grounded.start())
    await told(violated, 'integrity', () => assertWhole(place))
    await told(violated, 'it is not sound', () =>
      examine(violated, { place, url: server.url, answered: writers.answered }),
    )
  } finally {
    disk.remove()
    if (image === null) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    else await image.remove()
  }
}

async function failAll(trial: Trial, faults: number): Promise<void> {
  const { engine, dice, isOften, image, pace, writers } = trial
  const full = image === null ? 0 : dice.int(1, faults - 1)
  for (let i = 1; i < faults; i++) {
    if (trial.isEnough() || writers.wrong.length > 0) return
    if (i === full && image !== null) await fillOnce(trial, image)
    else await failOnce(trial, i === 1 && isOften ? copying : drawFault(engine, dice, isOften))
  }
  await failOnce(trial, engine === 'sqlite' && dice.chance(0.8) ? believing : drawFault(engine, dice, isOften))
  await pace.acknowledges(dice.int(1, last_max), filling_max)
  await writers.stop()
}

async function failOnce(trial: Trial, fault: DiskFault): Promise<void> {
  const { engine, grounded, disk, dice, pace, count } = trial
  const name = JSON.stringify(fault)
  disk.arm(fault)
  if (fault.files.includes('data')) void grounded.checkpoint()
  const isMet = await pace.until(() => disk.fired > 0, meeting_max)
  count(isMet ? `${engine}: ${fault.what}s of ${fault.files.join(' and ')}, ${fault.error}` : `${engine}: not met`)
  const lasts = isMet && fault.times === null
  if (lasts) await pace.pass(everybody)
  if (lasts && engine === 'sqlite') await assertReads(trial, name)
  // What is written elsewhere than into the log of the database can be put off.
  const refused = lasts && fault.files.includes('log') ? await assertRefused(trial, name) : []
  await mend(trial, () => disk.disarm(), isMet && dice.chance(fault === believing ? 0.8 : 0.05))
  await assertRecovers(trial, refused, name)
}

/** The disk is mended, and PostgreSQL helped up. Atrium's process has stayed, or else whoever saw the errors restarts it. */
async function mend(trial: Trial, mended: () => void, isRestarted: boolean): Promise<void> {
  const { engine, grounded, server, violated, count } = trial
  if (!server.isAlive) violated('the server ended by itself')
  // Memory shows to the one that comes after it what the disk does not have.
  if (isRestarted && engine === 'sqlite') {
    await grounded.stop(true)
    mended()
    await grounded.start()
    count('sqlite: restarts')
  } else mended()
  if (await grounded.revive()) count('postgres: started again')
}

/** Something else takes all the room that there is, until some writes find none, and then gives it back. */
async function fillOnce(trial: Trial, image: Image): Promise<void> {
  const { engine, pace, writers, count } = trial
  const ballast = fill(image)
  const refusals = (writers.seen.get(503) ?? 0) + refusals_min
  const isMet = await pace.until(() => (writers.seen.get(503) ?? 0) >= refusals, filling_max)
  count(isMet ? `${engine}: disk full` : `${engine}: not met`)
  // PostgreSQL may be recovering, and answers no reads then.
  if (engine === 'sqlite') await assertReads(trial, 'the disk is full')
  await mend(trial, () => rmSync(ballast), false)
  await assertRecovers(trial, [], 'a full disk')
}

/** Takes all the room there is. Returns the file that has it. */
function fill(image: Image): string {
  const path = join(image.folder, 'ballast')
  const file = openSync(path, 'w')
  try {
    for (let piece = 2 ** 20; piece >= 1; ) {
      try {
        writeSync(file, Buffer.alloc(piece))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        piece = Math.floor(piece / 4)
      }
    }
  } finally {
    closeSync(file)
  }
  return path
}
