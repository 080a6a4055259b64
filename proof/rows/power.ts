/**
 * Power cuts while clients write and people draw. The database lies on an image (`disk/image.ts`); its power is cut at a random
 * moment, then both disk and server come back. Before a cut the system may already have written back any pages in any order.
 * Power is also cut right after commands that report success.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dice } from '../dice.ts'
import { cutAfterCommands } from '../disk/command-cuts.ts'
import { assertWhole, type DeploymentOnDisk, openOnDisk, writeBackSome } from '../disk/deployment-on-disk.ts'
import { frequent_checkpoints } from '../disk/frequent-checkpoints.ts'
import { Image, imageSkipReason } from '../disk/image.ts'
import { examine, openMixed } from '../mixed.ts'
import { type EngineName, engines, prefixed, reportFailure, row, type Trial, type Violated } from '../row.ts'
import { StrokeWorkload } from '../strokes.ts'

/** After this many cuts the database is examined, and the next round begins with an empty one. */
const round_cuts = 25
/** One cut in this many is on PostgreSQL. */
const postgres_share = 6
/** One SQLite cut in this many also kills the server process. */
const kill_share = 8

const mebibytes = { sqlite: 512, postgres: 1024 } as const

const faults_of_commands = ['unsynced_key', 'unsynced_backup', 'unsynced_directory']

export const power = row({
  name: 'power',
  promise: 'After a power failure, nothing acknowledged before it is lost or corrupt.',
  cycle:
    'a power cut of the disk: under a server with mixed writes of 16 clients, which repeat unanswered writes with the same key, and strokes of 4 people on a board, or right after a command ended',
  cycles: { short: 7, long: 700 },
  unproven: [
    'A disk that reports writes it has not made, and half-written sectors: whatever the file system handed to the disk stays whole here.',
    'File systems other than ext4, and a cut during a sync: syncs in progress end first, because ext4 reports success for some that it interrupts. Cuts between any two calls are tried.',
    'The newest entries of the request log: by design, a request is answered before its entry is written.',
  ],
  skipReason: imageSkipReason,
  async run(trial) {
    let cycles = 0
    const isOfCommands = faults_of_commands.includes(trial.fault ?? '')
    const isOfServers = trial.fault !== null && !isOfCommands
    for (const [engine, cuts] of isOfCommands ? [] : cutsOf(trial)) {
      for (let left = cuts; left > 0; left -= round_cuts) {
        cycles += await powerRound(trial, engine, Math.min(left, round_cuts))
        trial.say(`${engine}: ${Math.max(0, left - round_cuts)} cuts to go`)
      }
    }
    for (let left = isOfServers ? 0 : trial.cycles; left > 0; left -= round_cuts) {
      const cuts = await cutAfterCommands((text) => trial.violated(text))
      trial.count('cuts after commands', cuts)
      cycles += cuts
    }
    return { cycles }
  },
})

function cutsOf({ cycles, engines: tried }: Trial): (readonly [EngineName, number])[] {
  const onPostgres = Math.ceil(cycles / postgres_share)
  if (tried.length < engines.length) return tried.map((engine) => [engine, cycles] as const)
  return [
    ['sqlite', cycles - onPostgres],
    ['postgres', onPostgres],
  ]
}

/** Returns how many cuts it made. */
async function powerRound(trial: Trial, engine: EngineName, cuts: number): Promise<number> {
  const dice = trial.dice.fork()
  const plants = engine === 'sqlite' && dice.chance(0.5) ? frequent_checkpoints : []
  const image = new Image(mebibytes[engine])
  try {
    await using deployment = await openOnDisk(image.folder, engine, { plants })
    // initdb does not sync the new cluster.
    if (engine === 'postgres') image.sync()
    return await cutAll({ trial, image, deployment, cuts, dice, violated: prefixed(trial, engine) })
  } finally {
    image.remove()
  }
}

interface PowerRound {
  readonly trial: Trial
  readonly image: Image
  readonly deployment: DeploymentOnDisk
  readonly cuts: number
  readonly dice: Dice
  readonly violated: Violated
}

async function cutAll({ trial, image, deployment, cuts, dice, violated }: PowerRound): Promise<number> {
  const { engine, server, installation } = deployment
  const { writers } = await openMixed(deployment, server.url, dice.fork())
  const strokes = await StrokeWorkload.open({ server: () => server.url, key: installation.key, dice: dice.fork() })
  writers.start(() => server.url, installation.key)
  let made = 0
  try {
    for (let cut = 1; cut <= cuts; cut++) {
      strokes.start()
      await strokes.more(dice.int(1, 20))
      // The last cut hits an idle server.
      if (cut === cuts) await Promise.all([writers.stop(), strokes.finish()])
      else await writers.more(dice.int(1, 60))
      await sleep(dice.int(0, 15))
      if (dice.chance(0.4)) void deployment.checkpoint()
      if (dice.chance(0.5)) trial.count('pages written back', writeBackSome(image, deployment, dice))
      image.cut()
      made++
      trial.count(`cuts ${engine}`)
      // A success received by now was sent before the cut.
      await sleep(dice.int(0, 25))
      await strokes.leave()
      await deployment.stop(engine === 'postgres' ? dice.chance(0.3) : cut % kill_share === 0)
      await image.restorePower()
      await deployment.start()
      await strokes.examine(violated)
    }
  } catch (error) {
    violated(`it does not continue: ${(error as Error).message.slice(0, 300)}`)
  } finally {
    writers.giveUp()
    await strokes.leave()
  }
  for (const wrong of writers.wrong) violated(wrong)
  trial.count('acknowledged', writers.answered.length)
  trial.count('strokes acknowledged', strokes.acknowledged)
  await reportFailure(violated, 'integrity', () => assertWhole(deployment))
  const examined = { deployment, url: server.url, answered: writers.answered }
  await reportFailure(violated, 'soundness', () => examine(violated, examined))
  return made
}
