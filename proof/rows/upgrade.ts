/**
 * Today's migrations over data of earlier versions, killed at each statement and commit and started again: by SIGKILL, between
 * the commits of SQLite's two files, and by a power cut where an image can be mounted.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { applyMigrations, migrations } from '../../server/src/db/migrate.ts'
import { type Database, newDatabase } from '../../server/test/engines.ts'
import { Image, imageSkipReason } from '../disk/image.ts'
import { ensurePostgres } from '../postgres.ts'
import { type EngineName, prefixed, row, type Trial } from '../row.ts'
import { demoRows } from '../upgrading/demo-rows.ts'
import { shapeOf } from '../upgrading/dump.ts'
import { upgradeOnce } from '../upgrading/upgrade-once.ts'
import { withStore } from '../with-store.ts'

const image_mebibytes = 64

const moving = migrations.findIndex(({ name }) => name === '0007_request_log_file')

export const upgrade = row({
  name: 'upgrade',
  promise:
    'An upgrade that is killed at any step loses nothing and continues when started again; a second upgrade changes nothing.',
  cycle:
    "a database with the tables of the first k migrations and, in each, a demo organization's rows and random rows; its upgrade is killed at a statement, at a commit or between two, half the time twice, then completed and repeated",
  cycles: { short: 4, long: 300 },
  unproven: [
    'Programs of earlier releases: the tables of the first k migrations, with rows that the current program writes, stand for them. `build/kept-data.test.ts` opens the data that each released version left behind.',
    'Large data: a database has the rows of the demo organization and 10 random ones in each table, not 100,000 tasks (docs/releases.md says how those are tried).',
    'The backup that an upgrade makes first. `build/kept-data.test.ts` kills upgrades before it is complete and between two migrations, and loads it.',
    'Power failures during an upgrade where no file system can be mounted; the figures count the cuts. On PostgreSQL the row "power" tries them.',
  ],
  async run(trial) {
    await using _ = await ensurePostgres(trial.engines.includes('postgres') ? 'postgres' : 'sqlite')
    const image = (await imageSkipReason()) === null ? new Image(image_mebibytes) : null
    try {
      await upgradeAll(trial, image)
      return { cycles: trial.cycles }
    } finally {
      image?.remove()
    }
  },
})

async function upgradeAll(trial: Trial, image: Image | null): Promise<void> {
  const { engines, dice } = trial
  const rows = await demoRows()
  const shapes = new Map<EngineName, readonly string[]>()
  for (const engine of engines) shapes.set(engine, await shapesOf(engine))
  const starts = { sqlite: [] as number[], postgres: [] as number[] }
  for (let cycle = 0; cycle < trial.cycles && !trial.isOver; cycle++) {
    const engine = engines[cycle % engines.length] as EngineName
    const applied = drawStart(engine, starts[engine], dice)
    const isCut = engine === 'sqlite' && image !== null && dice.chance(0.4)
    const database = isCut ? databaseOn(image, cycle) : await newDatabase(engine)
    const violated = prefixed(trial, `${engine}, ${applied} migrations${isCut ? ', power' : ''}`)
    const setting = { trial, engine, applied, database, rows, shapes: shapes.get(engine) ?? [], violated }
    try {
      await upgradeOnce(isCut ? { ...setting, image } : setting)
    } finally {
      await database.remove()
    }
    if (cycle % 20 === 19) trial.say(`${cycle + 1} of ${trial.cycles}`)
  }
}

/**
 * How many migrations a database has had. Every number comes equally often, and on SQLite half of the databases have not had the
 * one that commits in two files: its interruptions can lose most, however many migrations follow it.
 */
function drawStart(engine: EngineName, left: number[], dice: Trial['dice']): number {
  if (engine === 'sqlite' && dice.chance(0.5)) return dice.int(0, moving)
  if (left.length === 0) left.push(...dice.shuffle(migrations.map((_, applied) => applied)))
  return left.pop() as number
}

function databaseOn(image: Image, cycle: number): Database {
  const folder = join(image.folder, String(cycle))
  mkdirSync(folder)
  return { url: `file:${join(folder, 'atrium.db')}`, folder, remove: async () => rmSync(folder, { recursive: true }) }
}

/** The tables after no migration, after one, and so on to all. */
async function shapesOf(engine: EngineName): Promise<readonly string[]> {
  const database = await newDatabase(engine)
  try {
    return await withStore(database.url, async (store) => {
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
