/**
 * A server with writers on a failing disk: fault after fault, then a power cut. A failed sync loses what it did not write.
 * PostgreSQL ends all sessions and recovers when it cannot write its log or sync a file. Sometimes it gives up; then the
 * trial restarts it, as a supervisor would.
 */
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dice } from '../dice.ts'
import { examine, openMixed } from '../mixed.ts'
import { type EngineName, prefixed, reportFailure, type Trial } from '../row.ts'
import { assertWhole, type DeploymentOnDisk, openOnDisk } from './deployment-on-disk.ts'
import { drawFault, lost_checkpoint_sync, lost_log_sync } from './draw-fault.ts'
import {
  assertReads,
  assertRecovers,
  assertRefused,
  type FailingServer,
  replies_of_every_client,
} from './failing-server.ts'
import { type DiskFault, FaultyDisk } from './faulty-disk.ts'
import { frequent_checkpoints } from './frequent-checkpoints.ts'
import { Image, imageSkipReason } from './image.ts'
import { Pace } from './pace.ts'

const mebibytes = { sqlite: 96, postgres: 224 } as const
/** A fault should occur within this many replies. */
const fault_replies_max = 120
/** A full disk, with room only inside its files, should refuse writes within this many replies. */
const full_replies_max = 4000
const refusals_min = 32
/** Most writes acknowledged between the last fault and the power cut. */
const last_writes_max = 40

interface FailRound extends FailingServer {
  readonly engine: EngineName
  readonly dice: Dice
  readonly deployment: DeploymentOnDisk
  readonly disk: FaultyDisk
  /** The file system to fill; `null` if no image can be mounted here. */
  readonly image: Image | null
  readonly hasFrequentCheckpoints: boolean
}

/** Tries `faults` disk faults, a full disk among them, and examines the database afterwards. */
export async function failRound(trial: Trial, engine: EngineName, faults: number): Promise<void> {
  const dice = trial.dice.fork()
  const violated = prefixed(trial, engine)
  const image = (await imageSkipReason()) === null ? new Image(mebibytes[engine]) : null
  const folder = image?.folder ?? mkdtempSync(join(tmpdir(), 'atrium-faulty-'))
  chmodSync(folder, 0o755)
  const disk = new FaultyDisk(folder)
  const hasFrequentCheckpoints = dice.chance(0.5)
  const plants = hasFrequentCheckpoints ? frequent_checkpoints : []
  try {
    await using deployment = await openOnDisk(folder, engine, { plants, preload: disk.environment })
    const { server, installation } = deployment
    // initdb does not sync the new cluster.
    image?.sync()
    // PostgreSQL may not recover from log pages that memory shows and the disk lacks; that is not Atrium's fault.
    disk.losePages(engine === 'postgres' ? 'held' : dice.pick(['written', 'written', 'held']))
    const { writers } = await openMixed(deployment, server.url, dice.fork())
    writers.start(() => server.url, installation.key)
    const pace = new Pace(writers)
    const count = (name: string, more?: number) => trial.count(name, more)
    const failing = { server, installation, writers, pace, violated, count }
    const round = { ...failing, engine, dice, deployment, disk, image, hasFrequentCheckpoints }
    await reportFailure(violated, 'it does not continue', () => failAll(round, faults, trial))
    writers.giveUp()
    disk.disarm()
    for (const wrong of writers.wrong) violated(wrong)
    count('acknowledged', writers.answered.length)
    await deployment.stop(engine === 'sqlite')
    // Remounting makes sure that no process has a file open.
    await image?.restorePower()
    count('pages lost', disk.cut())
    await reportFailure(violated, 'it does not start again', () => deployment.start())
    await reportFailure(violated, 'integrity', () => assertWhole(deployment))
    const examined = { deployment, url: server.url, answered: writers.answered }
    await reportFailure(violated, 'soundness', () => examine(violated, examined))
  } finally {
    disk.remove()
    if (image === null) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    else image.remove()
  }
}

async function failAll(round: FailRound, faults: number, trial: Trial): Promise<void> {
  const { engine, dice, hasFrequentCheckpoints, image, pace, writers } = round
  const full = image === null ? 0 : dice.int(1, faults - 1)
  for (let i = 1; i < faults; i++) {
    if (trial.isOver || writers.wrong.length > 0) return
    if (i === full && image !== null) await fillOnce(round, image)
    else if (i === 1 && hasFrequentCheckpoints) await failOnce(round, lost_checkpoint_sync)
    else await failOnce(round, drawFault(engine, dice, hasFrequentCheckpoints))
  }
  const isLogLost = engine === 'sqlite' && dice.chance(0.8)
  await failOnce(round, isLogLost ? lost_log_sync : drawFault(engine, dice, hasFrequentCheckpoints))
  await pace.acknowledges(dice.int(1, last_writes_max), full_replies_max)
  await writers.stop()
}

async function failOnce(round: FailRound, fault: DiskFault): Promise<void> {
  const { engine, deployment, disk, dice, pace, count } = round
  const name = JSON.stringify(fault)
  disk.arm(fault)
  if (fault.files.includes('data')) void deployment.checkpoint()
  const hasOccurred = await pace.until(() => disk.fired > 0, fault_replies_max)
  count(
    hasOccurred ? `${engine}: ${fault.what}s of ${fault.files.join(' and ')}, ${fault.error}` : `${engine}: not met`,
  )
  const lasts = hasOccurred && fault.times === null
  if (lasts) await pace.pass(replies_of_every_client)
  if (lasts && engine === 'sqlite') await assertReads(round, name)
  // Writes outside the database's log can be postponed.
  const refused = lasts && fault.files.includes('log') ? await assertRefused(round, name) : []
  await repair(round, () => disk.disarm(), hasOccurred && dice.chance(fault === lost_log_sync ? 0.8 : 0.05))
  await assertRecovers(round, refused, name)
}

/** Repairs the disk and restarts a PostgreSQL that gave up. `isRestarted`: Atrium is restarted before the repair. */
async function repair(round: FailRound, repairDisk: () => void, isRestarted: boolean): Promise<void> {
  const { engine, deployment, server, violated, count } = round
  if (!server.isAlive) violated('the server ended by itself')
  // The new process reads from memory what the disk lacks.
  if (isRestarted && engine === 'sqlite') {
    await deployment.stop(true)
    repairDisk()
    await deployment.start()
    count('sqlite: restarts')
  } else repairDisk()
  if (await deployment.revive()) count('postgres: started again')
}

/** Fills the disk until some writes are refused, then frees it. */
async function fillOnce(round: FailRound, image: Image): Promise<void> {
  const { engine, pace, writers, count } = round
  const ballast = fill(image)
  const refusals = (writers.seen.get(503) ?? 0) + refusals_min
  const hasOccurred = await pace.until(() => (writers.seen.get(503) ?? 0) >= refusals, full_replies_max)
  count(hasOccurred ? `${engine}: disk full` : `${engine}: not met`)
  // PostgreSQL may be recovering, and then answers no reads.
  if (engine === 'sqlite') await assertReads(round, 'the disk is full')
  await repair(round, () => rmSync(ballast), false)
  await assertRecovers(round, [], 'a full disk')
}

/** Takes all free space. Returns the file that holds it. */
export function fill(image: Image): string {
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
