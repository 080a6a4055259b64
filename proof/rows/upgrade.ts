/** Data of an earlier version under the migrations of today, killed at each of their statements and begun again. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { migrate, migrations, pendingMigrations, statementsOf } from '../../server/src/db/migrate.ts'
import { openStore } from '../../server/src/db/open.ts'
import type { Store } from '../../server/src/db/store.ts'
import { type Database, newDatabase } from '../../server/test/engines.ts'
import { startPostgres } from '../../server/test/postgres.ts'
import type { Dice } from '../dice.ts'
import { kill_plants } from '../kill-plants.ts'
import { kill_variable } from '../kill-points.ts'
import { makeOlder, rowsOf, shapeOf } from '../older.ts'
import { planted } from '../plant.ts'
import { type EngineName, row, type Trial } from '../row.ts'

const rows_a_table = 20

export const upgrade = row({
  name: 'upgrade',
  promise:
    'An upgrade that is killed at any step loses nothing and goes on when it is begun again; a second one changes nothing.',
  cycle: `a database with the first k migrations and ${rows_a_table} rows in every table, its upgrade killed at a statement, half the time at another one too, then carried to its end`,
  cycles: { short: 8, long: 600 },
  unproven: [
    'Programs of earlier releases: there is none yet. What they left is stood for by the tables of the first k migrations, with rows that no program wrote.',
    'On SQLite the migration that moves the request log into its own file commits in two files, which a cut of power may part: entries of the request log may be lost there, nothing else.',
  ],
  async run(trial) {
    const own = process.env.ATRIUM_TEST_POSTGRES_URL === undefined ? await startPostgres() : null
    if (own !== null) process.env.ATRIUM_TEST_POSTGRES_URL = own.url
    const tally = { kills: 0, 'rows compared': 0 }
    try {
      const today = { sqlite: await shapeOfToday('sqlite'), postgres: await shapeOfToday('postgres') }
      for (let cycle = 0; cycle < trial.cycles; cycle++) {
        const engine = cycle % 2 === 0 ? 'sqlite' : 'postgres'
        const database = await newDatabase(engine)
        try {
          await upgradeOnce(trial, { engine, database, shape: today[engine], cycle: Math.floor(cycle / 2) }, tally)
        } finally {
          await database.remove()
        }
      }
    } finally {
      if (own !== null) delete process.env.ATRIUM_TEST_POSTGRES_URL
      await own?.stop()
    }
    return { cycles: trial.cycles, figures: tally }
  },
})

async function shapeOfToday(engine: EngineName): Promise<string> {
  const database = await newDatabase(engine)
  try {
    return await over(database.url, async (store) => {
      await migrate(store, 1)
      return await shapeOf(store)
    })
  } finally {
    await database.remove()
  }
}

async function over<T>(url: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(url)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

interface Case {
  readonly engine: EngineName
  readonly database: Database
  readonly shape: string
  readonly cycle: number
}

async function upgradeOnce(
  trial: Trial,
  { engine, database: { url }, shape, cycle }: Case,
  tally: { kills: number; 'rows compared': number },
): Promise<void> {
  const { dice } = trial
  const had = startOf(cycle)
  const violated = (text: string) => trial.violated(`${engine}, ${had} migrations: ${text}`)
  const [tables, before] = await over(url, async (store) => {
    const made = await makeOlder(store, had, rows_a_table, dice)
    return [made, await rowsOf(store, made)] as const
  })
  const steps = stepsOf(engine, had)
  for (let kill = dice.int(1, 2); kill > 0; kill--) {
    if (await killAt(url, pointOf(steps, cycle, dice))) tally.kills++
    await over(url, async (store) => {
      const pending = await pendingMigrations(store)
      if (pending.length > migrations.length - had) violated('a migration that was applied is not any more')
      compare(violated, 'after a kill', before, await rowsOf(store, tables))
    })
  }
  await over(url, async (store) => {
    try {
      await migrate(store, 2)
    } catch (error) {
      return violated(`it does not go on: ${(error as Error).message}`)
    }
    tally['rows compared'] += compare(violated, 'in the end', before, await rowsOf(store, tables))
    if ((await shapeOf(store)) !== shape) violated('the tables are not those of a new database')
    if ((await migrate(store, 3)).length > 0) violated('a second upgrade applied something')
    compare(violated, 'after the second', before, await rowsOf(store, tables))
    if ((await shapeOf(store)) !== shape) violated('a second upgrade changed the tables')
  })
}

/** Each number of migrations in turn, the oldest as often as the newest. */
function startOf(cycle: number): number {
  return cycle % migrations.length
}

function stepsOf(engine: EngineName, had: number): number {
  const statements = migrations.slice(had).flatMap((each) => statementsOf(each, engine))
  return Math.max(1, statements.length)
}

/** Each statement in turn; sometimes the moment between the last one of a migration and its commit. */
function pointOf(steps: number, cycle: number, dice: Dice): string {
  if (dice.chance(0.2)) return `recorded:${dice.int(1, 3)}`
  return `statement:${dice.chance(0.5) ? dice.int(1, steps) : 1 + (cycle % steps)}`
}

/** Begins an upgrade in a process of its own that ends at the point. Returns whether it got there. */
async function killAt(url: string, point: string): Promise<boolean> {
  const { PATH = '', HOME = '' } = process.env
  const program = join(import.meta.dirname, '../migrating.ts')
  const child = spawn(process.execPath, [program, url], {
    env: { PATH, HOME, ...planted(kill_plants), [kill_variable]: point },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [told] = await Promise.all([text(child.stderr), once(child, 'exit')])
  if (child.signalCode !== 'SIGKILL' && child.exitCode !== 0) throw new Error(told)
  return child.signalCode === 'SIGKILL'
}

type Rows = ReadonlyMap<string, string>

function compare(violated: (text: string) => void, when: string, before: Rows, after: Rows): number {
  let rows = 0
  for (const [table, text] of before) {
    if (after.get(table) !== text) violated(`${when} ${table} has other rows`)
    rows += text.split('\n').length
  }
  return rows
}
