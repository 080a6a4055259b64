/**
 * Power that fails while clients write. The database lies on an image of its own (`image.ts`), whose power is cut while
 * the server is amid whatever it does; then the power comes back, and the server with it. Before a cut the system may
 * have written any of the pages back by itself, in any order. What commands said at their end is cut off too.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dice } from '../dice.ts'
import { assertWhole, type Grounded, openOn, strew } from '../disk/grounded.ts'
import { Image, imageHindrance } from '../disk/image.ts'
import { often } from '../disk/often.ts'
import { cutWords } from '../disk/words.ts'
import { examine, openMixed, told } from '../mixed.ts'
import { type EngineName, row, type Trial } from '../row.ts'

/** After so many cuts a database is examined, and the next begins with an empty one. */
const round_cuts = 25
/** Of the cuts, PostgreSQL has one in so many. */
const postgres_share = 6
/** Every so manieth cut of SQLite ends the server's process as well, and not only its database. */
const kill_share = 8

const mebibytes = { sqlite: 512, postgres: 1024 } as const

/** What a planted fault is about: the rest need not be tried. */
const about: Readonly<Record<string, EngineName | 'words'>> = {
  not_synced: 'sqlite',
  not_awaited: 'postgres',
  key_in_memory: 'words',
  backup_in_memory: 'words',
  name_in_memory: 'words',
}

class Tally {
  readonly figures: Record<string, number> = {}

  add(name: string, count = 1): void {
    this.figures[name] = (this.figures[name] ?? 0) + count
  }

  get cuts(): number {
    return Object.entries(this.figures).reduce((sum, [name, count]) => sum + (name.startsWith('cuts') ? count : 0), 0)
  }
}

export const power = row({
  name: 'power',
  promise: 'Of what was acknowledged before the power failed nothing is lost or corrupt when it is back.',
  cycle:
    'a cut of the power of the disk under a server with mixed writes of 16 clients that repeat what was not answered with the same key, or right behind the end of a command',
  cycles: { short: 7, long: 700 },
  unproven: [
    'A disk that says it has written and has not, and sectors that are half written: what the file system handed to the disk stands here, whole.',
    'Other file systems than ext4, and a cut in the middle of a sync: each that is under way ends first, for ext4 answers some that it is stopped in with success. A cut between any two calls is tried.',
    'The newest entries of the request log: a request is answered before its entry is written, by design.',
  ],
  hindrance: imageHindrance,
  async run(trial) {
    const tally = new Tally()
    const tried = about[trial.fault ?? '']
    const postgres = tried === 'postgres' ? trial.cycles : Math.ceil(trial.cycles / postgres_share)
    const sqlite = tried === 'sqlite' ? trial.cycles : trial.cycles - postgres
    const isTried = (what: EngineName | 'words') => tried === undefined || tried === what
    for (const [engine, cuts] of [['sqlite', sqlite] as const, ['postgres', postgres] as const]) {
      for (let left = isTried(engine) ? cuts : 0; left > 0; left -= round_cuts) {
        await round(trial, tally, engine, Math.min(left, round_cuts))
        trial.say(`${engine}: ${Math.max(0, left - round_cuts)} cuts to go`)
      }
    }
    for (let left = isTried('words') ? trial.cycles : 0; left > 0; left -= round_cuts) {
      tally.add('cuts behind commands', await cutWords((text) => trial.violated(text)))
    }
    return { cycles: tally.cuts, figures: tally.figures }
  },
})

async function round(trial: Trial, tally: Tally, engine: EngineName, cuts: number): Promise<void> {
  const dice = trial.dice.fork()
  const violated = (text: string) => trial.violated(`${engine}: ${text}`)
  const plants = engine === 'sqlite' && dice.chance(0.5) ? often : []
  const image = new Image(mebibytes[engine])
  try {
    await using grounded = await openOn(image.folder, engine, { plants })
    // A cluster of PostgreSQL is made without waiting for the disk. What Atrium writes into it waits for itself.
    if (engine === 'postgres') image.sync()
    await cutAll({ tally, image, grounded, cuts, dice, violated })
  } finally {
    image.remove()
  }
}

interface Round {
  readonly tally: Tally
  readonly image: Image
  readonly grounded: Grounded
  readonly cuts: number
  readonly dice: Dice
  violated(text: string): void
}

async function cutAll({ tally, image, grounded, cuts, dice, violated }: Round): Promise<void> {
  const { engine, place, server } = grounded
  const { writers } = await openMixed(place, server.url, dice.fork())
  writers.start(() => server.url, place.installation.key)
  try {
    for (let cut = 1; cut <= cuts; cut++) {
      // The last one meets a server at rest.
      if (cut === cuts) await writers.stop()
      else await writers.more(dice.int(1, 60))
      await sleep(dice.int(0, 15))
      if (dice.chance(0.4)) void grounded.checkpoint()
      if (dice.chance(0.5)) tally.add('pages written back', strew(image, grounded, dice))
      image.cut()
      tally.add(`cuts ${engine}`)
      // Clients go on for a while: whoever is answered with success by now has his answer from before.
      await sleep(dice.int(0, 25))
      await grounded.stop(engine === 'postgres' ? dice.chance(0.3) : cut % kill_share === 0)
      await image.again()
      await grounded.start()
    }
  } catch (error) {
    violated(`it does not go on: ${(error as Error).message.slice(0, 300)}`)
  } finally {
    writers.giveUp()
  }
  for (const wrong of writers.wrong) violated(wrong)
  tally.add('acknowledged', writers.answered.length)
  await told(violated, 'integrity', () => assertWhole(place))
  await told(violated, 'it is not sound', () =>
    examine(violated, { place, url: server.url, answered: writers.answered }),
  )
}
