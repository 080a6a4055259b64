/** One upgrade: ended once or twice, carried to its end, and made again. */
import { migrate, migrations, pendingMigrations, statementsOf } from '../../server/src/db/migrate.ts'
import type { Store } from '../../server/src/db/store.ts'
import type { Database } from '../../server/test/engines.ts'
import type { Dice } from '../dice.ts'
import type { Image } from '../disk/image.ts'
import type { EngineName } from '../row.ts'
import { type Dump, dumpOf, over, type Rows, rowsOf, shapeOf } from './dump.ts'
import { endAt, type Point } from './ending.ts'
import { added, makeOlder, type Older } from './older.ts'
import type { Written } from './written.ts'

/** Rows by chance in every table, besides those that the program wrote. */
const drawn_rows = 10

export interface Setting {
  readonly engine: EngineName
  /** Migrations that the database had. */
  readonly had: number
  readonly database: Database
  /** Where the database lies, if its power is to be cut at each end. */
  readonly image?: Image
  readonly written: readonly Written[]
  /** The tables by the number of migrations. */
  readonly shapes: readonly string[]
  readonly dice: Dice
  count(name: string, more?: number): void
  violated(text: string): void
}

export async function upgradeOnce(setting: Setting): Promise<void> {
  const { had, database, image, written, dice, count, violated } = setting
  const { url } = database
  const older = await over(url, (store) => makeOlder(store, had, { written, drawn: drawn_rows, dice }))
  const expected = await over(url, (store) => added(store, had))
  image?.sync()
  for (let end = dice.int(1, 2); end > 0; end--) {
    const point = drawn(setting)
    const outcome = await endAt(url, point)
    if (outcome === 'refused') return violated('what was cut off is not begun again')
    if (image !== undefined) {
      image.cut()
      await image.again()
      count('cuts of power')
    } else if (outcome === 'ended') count(`ended at ${point.name}`)
    await over(url, (store) => examineBetween(setting, older, expected, store))
  }
  await over(url, async (store) => {
    const missing = await pendingMigrations(store)
    try {
      const done = await migrate(store, 2)
      if (done.join() !== missing.join()) violated(`it applied ${done.join()} where ${missing.join()} were missing`)
    } catch (error) {
      return violated(`it does not go on: ${(error as Error).message}`)
    }
    const dump = await dumpOf(store)
    count('rows compared', compare(setting, 'in the end', older, expected, dump.rows))
    if (dump.shape !== setting.shapes.at(-1)) violated('the tables are not those of a new database')
    if ((await migrate(store, 3)).length > 0) violated('a second upgrade applied something')
    if (asText(await dumpOf(store)) !== asText(dump)) violated('a second upgrade changed something')
  })
}

/** Whatever it was ended at, the database is that of some number of migrations, and has what it had. */
async function examineBetween(setting: Setting, older: Older, expected: Rows, store: Store): Promise<void> {
  const { had, shapes, violated } = setting
  const applied = migrations.length - (await pendingMigrations(store)).length
  if (applied < had) return violated('a migration that was applied is not any more')
  if ((await shapeOf(store)) !== shapes[applied]) violated(`the tables are not those of ${applied} migrations`)
  if (applied === migrations.length) compare(setting, 'after its end', older, expected, (await dumpOf(store)).rows)
  else compare(setting, 'amid it', older, new Map(), await rowsOf(store, older.tables))
}

/** Returns how many rows were compared. */
function compare({ violated }: Setting, when: string, { rows }: Older, expected: Rows, after: Rows): number {
  let compared = 0
  for (const [table, text] of rows) {
    if (after.get(table) !== text) violated(`${when} ${table} has other rows`)
    compared += linesOf(text)
  }
  for (const [table, text] of after) {
    if (rows.has(table)) continue
    if (text !== (expected.get(table) ?? '')) violated(`${when} ${table} has not the rows that belong there`)
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

/** A statement, the moment between a migration's last one and its commit, or a commit: before, in, between and behind. */
function drawn({ engine, had, dice }: Setting): Point {
  const pending = migrations.slice(had)
  const statements = pending.flatMap((each) => statementsOf(each, engine)).length
  const name = dice.pick([
    'statement',
    'statement',
    'recorded',
    'before_commit',
    'mid_commit',
    'after_commit',
    'parted',
  ])
  const isOfStatement = name === 'statement'
  if (isOfStatement || (name === 'parted' && engine === 'postgres'))
    return { name: 'statement', times: dice.int(1, Math.max(1, statements)), delay_us: 0 }
  const moving = pending.findIndex((each) => each.name === '0007_request_log_file') + 1
  // Most of what can be lost is in the commits that write into two files.
  const isMoving = moving > 0 && dice.chance(0.5)
  const times = isMoving ? moving + dice.int(0, 1) : dice.int(1, pending.length)
  return { name, times, delay_us: dice.int(0, 1500) }
}
