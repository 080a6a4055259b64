/**
 * Data of an earlier version under the migrations of today, which are ended at each of their statements and commits and
 * begun again: by SIGKILL, between the commits of SQLite's two files, and where an image can be mounted by a cut of power.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { applyMigrations, migrations } from '../../server/src/db/migrate.ts'
import { type Database, newDatabase } from '../../server/test/engines.ts'
import { startPostgres } from '../../server/test/postgres.ts'
import { Image, imageHindrance } from '../disk/image.ts'
import { engines } from '../place.ts'
import { type EngineName, row, type Trial } from '../row.ts'
import { over, shapeOf } from '../upgrading/dump.ts'
import { type Setting, upgradeOnce } from '../upgrading/upgrade-once.ts'
import { writtenRows } from '../upgrading/written.ts'

const image_mebibytes = 64

/** Planted faults that are about one engine: the other need not be tried. */
const about: Readonly<Record<string, EngineName>> = {
  loses_rows: 'sqlite',
  copied_once: 'sqlite',
  first_in_memory: 'sqlite',
  terms_uncut: 'sqlite',
}

export const upgrade = row({
  name: 'upgrade',
  promise:
    'An upgrade that is ended at any step loses nothing and goes on when it is begun again; a second one changes nothing.',
  cycle:
    "a database with the tables of the first k migrations, a demo organization's rows and rows by chance in each, its upgrade ended at a statement, a commit or between two, half the time twice, then carried to its end and made again",
  cycles: { short: 4, long: 300 },
  unproven: [
    'Programs of earlier releases: there is none yet. What they left is stood for by the tables of the first k migrations with rows that the program of today writes.',
    'Power that fails in an upgrade, where no file system can be mounted: the figures say how many cuts there were. PostgreSQL keeps its own promises there: the row "power" tries them.',
    'Going back to an earlier release: no migration has a way back; a backup from before does.',
  ],
  async run(trial) {
    const tried = engines.filter((engine) => (about[trial.fault ?? ''] ?? engine) === engine)
    const isOwn = tried.includes('postgres') && process.env.ATRIUM_TEST_POSTGRES_URL === undefined
    const own = isOwn ? await startPostgres() : null
    if (own !== null) process.env.ATRIUM_TEST_POSTGRES_URL = own.url
    const image = (await imageHindrance()) === null ? new Image(image_mebibytes) : null
    try {
      return await upgrades(trial, tried, image)
    } finally {
      image?.remove()
      if (own !== null) delete process.env.ATRIUM_TEST_POSTGRES_URL
      await own?.stop()
    }
  },
})

async function upgrades(trial: Trial, tried: readonly EngineName[], image: Image | null) {
  const figures: Record<string, number> = {}
  const count: Setting['count'] = (name, more = 1) => {
    figures[name] = (figures[name] ?? 0) + more
  }
  const written = await writtenRows()
  const shapes = new Map<EngineName, readonly string[]>()
  for (const engine of tried) shapes.set(engine, await shapesOf(engine))
  const starts = { sqlite: [] as number[], postgres: [] as number[] }
  for (let cycle = 0; cycle < trial.cycles; cycle++) {
    const engine = tried[cycle % tried.length] as EngineName
    // Each number of migrations comes as often as any other.
    if (starts[engine].length === 0) starts[engine] = trial.dice.shuffle(migrations.map((_, had) => had))
    const had = starts[engine].pop() as number
    const isCut = engine === 'sqlite' && image !== null && trial.dice.chance(0.4)
    const database = isCut ? onImage(image, cycle) : await newDatabase(engine)
    const violated = (text: string) => trial.violated(`${engine}, ${had} migrations${isCut ? ', power' : ''}: ${text}`)
    try {
      const setting = {
        engine,
        had,
        database,
        written,
        shapes: shapes.get(engine) ?? [],
        dice: trial.dice,
        count,
        violated,
      }
      await upgradeOnce(isCut ? { ...setting, image } : setting)
    } finally {
      await database.remove()
    }
    if (cycle % 20 === 19) trial.say(`${cycle + 1} of ${trial.cycles}`)
  }
  return { cycles: trial.cycles, figures }
}

function onImage(image: Image, cycle: number): Database {
  const folder = join(image.folder, String(cycle))
  mkdirSync(folder)
  return { url: `file:${join(folder, 'atrium.db')}`, folder, remove: async () => rmSync(folder, { recursive: true }) }
}

/** The tables of a database with no migration, with one, and so on to all of them. */
async function shapesOf(engine: EngineName): Promise<readonly string[]> {
  const database = await newDatabase(engine)
  try {
    return await over(database.url, async (store) => {
      const found = [await shapeOf(store)]
      for (const { name } of migrations) {
        await applyMigrations(store, [name], 1)
        found.push(await shapeOf(store))
      }
      return found
    })
  } finally {
    await database.remove()
  }
}
