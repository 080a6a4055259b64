/** One upgrade: killed once or twice, then completed and repeated. */
import { migrate, migrations, pendingMigrations, statementsOf } from '../../server/src/db/migrate.ts'
import type { Store } from '../../server/src/db/store.ts'
import type { Database } from '../../server/test/engines.ts'
import type { Dice } from '../dice.ts'
import type { Image } from '../disk/image.ts'
import type { EngineName, Trial, Violated } from '../row.ts'
import { withStore } from '../with-store.ts'
import type { TableRows } from './demo-rows.ts'
import { type Dump, dumpOf, type Rows, rowsOf, shapeOf, tablesOf } from './dump.ts'
import { type Point, upgradeUntil } from './interrupt.ts'
import { derivedRows, makeOlder, type OlderDatabase } from './older-database.ts'

export interface Upgrade {
  readonly trial: Trial
  readonly engine: EngineName
  /** How many migrations the database has had. */
  readonly applied: number
  readonly database: Database
  /** The image of the database, if its power is cut. */
  readonly image?: Image
  readonly rows: readonly TableRows[]
  /** The tables after each number of migrations. */
  readonly shapes: readonly string[]
  readonly violated: Violated
}

export async function upgradeOnce(upgrade: Upgrade): Promise<void> {
  const { trial, applied, database, image, rows, violated } = upgrade
  const { url } = database
  const { dice } = trial
  const older = await withStore(url, (store) => makeOlder(store, applied, rows, dice))
  const expected = await withStore(url, (store) => derivedRows(store, applied))
  image?.sync()
  for (let kills = dice.int(1, 2); kills > 0; kills--) {
    const point = drawPoint(upgrade, dice)
    const outcome = await upgradeUntil(url, point)
    if (outcome === 'refused') return violated('an interrupted upgrade does not start again')
    if (image !== undefined) {
      image.cut()
      await image.restorePower()
      trial.count('cuts of power')
    } else if (outcome === 'killed') trial.count(`ended at ${point.name}`)
    await withStore(url, (store) => checkInterrupted(upgrade, older, expected, store))
  }
  await withStore(url, async (store) => {
    const missing = await pendingMigrations(store)
    try {
      const done = await migrate(store, 2)
      if (done.join() !== missing.join()) violated(`it applied ${done.join()} where ${missing.join()} were missing`)
    } catch (error) {
      return violated(`it does not continue: ${(error as Error).message}`)
    }
    const dump = await dumpOf(store)
    trial.count('rows compared', compare(upgrade, 'completed', older, expected, await comparableRows(older, store)))
    if (dump.shape !== upgrade.shapes.at(-1)) violated('the tables are not those of a new database')
    if ((await migrate(store, 3)).length > 0) violated('a second upgrade applied something')
    if (asText(await dumpOf(store)) !== asText(dump)) violated('a second upgrade changed something')
  })
}

/** At any interruption the tables are those of some number of migrations, and no row is lost. */
async function checkInterrupted(upgrade: Upgrade, older: OlderDatabase, expected: Rows, store: Store): Promise<void> {
  const { shapes, violated } = upgrade
  const applied = migrations.length - (await pendingMigrations(store)).length
  if (applied < upgrade.applied) return violated('an applied migration is missing')
  if ((await shapeOf(store)) !== shapes[applied]) violated(`the tables are not those of ${applied} migrations`)
  if (applied === migrations.length) compare(upgrade, 'complete', older, expected, await comparableRows(older, store))
  else compare(upgrade, 'interrupted', older, new Map(), await rowsOf(store, older.tables))
}

/** All rows; those of older tables without the columns that a migration has added. */
async function comparableRows(older: OlderDatabase, store: Store): Promise<Rows> {
  return await rowsOf(store, new Map([...(await tablesOf(store)), ...older.tables]))
}

/** Returns how many rows were compared. */
function compare({ violated }: Upgrade, state: string, older: OlderDatabase, expected: Rows, after: Rows): number {
  const { rows, changed } = older
  let compared = 0
  for (const [table, text] of rows) {
    const states = [text, ...(changed.get(table) ?? [])]
    const found = after.get(table)
    const allowed = state === 'interrupted' ? states : states.slice(-1)
    if (found === undefined || !allowed.includes(found)) violated(`${state}: ${table} has other rows than before`)
    compared += linesOf(text)
  }
  for (const [table, text] of after) {
    if (rows.has(table)) continue
    if (text !== (expected.get(table) ?? '')) violated(`${state}: ${table} has other rows than expected`)
    compared += linesOf(text)
  }
  return compared
}

function linesOf(text: string): number {
  return text === '' ? 0 : text.split('\n').length
}

function asText({ shape, rows, migrations: names }: Dump): string {
  return JSON.stringify([shape, [...rows], names])
}

const points = ['statement', 'statement', 'recorded', 'before_commit', 'mid_commit', 'after_commit', 'between_commits']

/** A statement, the moment between a migration's last statement and its commit, or around, in or between commits. */
function drawPoint({ engine, applied }: Upgrade, dice: Dice): Point {
  const pending = migrations.slice(applied)
  const statements = pending.flatMap((each) => statementsOf(each, engine)).length
  const name = dice.pick(points)
  if (name === 'statement' || (name === 'between_commits' && engine === 'postgres')) {
    return { name: 'statement', times: dice.int(1, Math.max(1, statements)), delay_us: 0 }
  }
  const moving = pending.findIndex((each) => each.name === '0007_request_log_file') + 1
  // The commits over both files can lose most.
  const isMoving = moving > 0 && dice.chance(0.5)
  const times = isMoving ? moving + dice.int(0, 1) : dice.int(1, pending.length)
  return { name, times, delay_us: dice.int(0, 1500) }
}
