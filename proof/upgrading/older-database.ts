/** A database of an earlier version: its tables, with rows that the program wrote and random rows. */
import { sql } from 'kysely'
import { applyMigrations, migrations } from '../../server/src/db/migrate.ts'
import { type AnyValues, onceQuery, type Query } from '../../server/src/db/query.ts'
import type { Store } from '../../server/src/db/store.ts'
import { termsOf } from '../../server/src/resources/tasks/terms.ts'
import type { Dice } from '../dice.ts'
import type { TableRows } from './demo-rows.ts'
import { ask, asText, type Column, type Rows, rowsOf, type Tables, tablesOf } from './dump.ts'

/** Random rows per table. */
const random_rows = 10

export interface OlderDatabase {
  readonly tables: Tables
  readonly rows: Rows
  /** The rows of tables that later migrations change, as each of them leaves them. */
  readonly changed: ReadonlyMap<string, readonly string[]>
}

/** Applies the first `count` migrations and fills every table that exists then. */
export async function makeOlder(
  store: Store,
  count: number,
  written: readonly TableRows[],
  dice: Dice,
): Promise<OlderDatabase> {
  const names = migrations.slice(0, count).map(({ name }) => name)
  await applyMigrations(store, names, 1)
  const tables: Tables = count === 0 ? new Map() : await tablesOf(store)
  await store.migrate(async (tx) => {
    for (const [table, of] of tables) {
      const insertion = insertInto(table, of)
      const drawing = Array.from({ length: random_rows }, () => of.map((column) => drawnFor(column, dice)))
      for (const values of [...valuesOf(written, table, of), ...drawing]) {
        tx.write(insertion, Object.fromEntries(of.map(({ name }, i) => [name, values[i]])) as AnyValues)
      }
      // A read waits for the writes before it.
      await tx.first(one)
    }
  })
  const lasting = withoutMoved(tables)
  return { tables: lasting, rows: await rowsOf(store, lasting), changed: await changedRows(store, count) }
}

const rewound = ask<object>(sql`select realm, sequence, event, walked, generation, complete, looked_at
  from search_positions`)

/** The migrations that begin the index of search again, in their order. */
const rebuilds = [
  { name: '0028_search_files', change: {}, engines: ['sqlite', 'postgres'] },
  { name: '0067_search_pairs', change: { complete: 0 }, engines: ['sqlite'] },
]

/** The rows of existing tables that the migrations after the first `count` change, as each of them leaves them. */
async function changedRows(store: Store, count: number): Promise<ReadonlyMap<string, readonly string[]>> {
  const isKnown = (name: string) => migrations.findIndex((each) => each.name === name) < count
  if (!isKnown('0022_search')) return new Map()
  let rows = (await store.reader('system').all(rewound)) as { readonly generation: number }[]
  const states: string[] = []
  for (const { name, change, engines } of rebuilds) {
    if (isKnown(name) || !engines.includes(store.dialect)) continue
    rows = rows.map((row) => ({ ...row, walked: '', generation: row.generation + 1, ...change }))
    states.push(asText(rows))
  }
  return states.length === 0 ? new Map() : new Map([['search_positions', states]])
}

/** A column whose values a later migration moves into a table of their own. */
const moved = { table: 'realms', name: 'event_sequence' }

function withoutMoved(tables: Tables): Tables {
  const lasts = ({ table, name }: Column) => table !== moved.table || name !== moved.name
  return new Map([...tables].map(([table, of]) => [table, of.filter(lasts)]))
}

const one = ask<{ one: number }>(sql`select 1 as one`)

type Values = readonly (string | number | null)[]

function valuesOf(written: readonly TableRows[], table: string, of: readonly Column[]): readonly Values[] {
  const found = written.find((each) => each.table === table)
  if (found === undefined) return []
  const at = of.map(({ name }) => found.columns.indexOf(name))
  // Only a column that was moved since is missing.
  return found.rows.map((row) => at.map((i) => (i < 0 ? 0 : (row[i] ?? null))))
}

function insertInto(table: string, of: readonly Column[]): Query<never, AnyValues> {
  const names = sql.join(of.map(({ name }) => sql.ref(name)))
  return onceQuery<never, AnyValues>((db, _dialect, p) => ({
    compile: () =>
      sql<never>`insert into ${sql.table(table)} (${names}) values (${sql.join(of.map(({ name }) => p(name)))})`.compile(
        db,
      ),
  }))
}

function drawnFor({ name, type }: Column, dice: Dice): string | number {
  if (name === 'labels') return JSON.stringify(Array.from({ length: dice.int(0, 4) }, () => drawnText(dice)))
  if (name === 'custom_fields') return JSON.stringify(drawnFields(dice))
  if (/int/i.test(type)) return dice.int(0, 2 ** 31)
  if (/double/i.test(type)) return dice.int(0, 2 ** 31) / 8
  return `${drawnText(dice)} ${dice.int(0, 2 ** 31)}`
}

/** Text that engines may treat differently from JavaScript: quotes, surrogate pairs, lengths near a bound. */
function drawnText(dice: Dice): string {
  const text = dice.pick(['x', 'ä', '🚀', '"', '\\', "'", '\n', ':', '=', ' ', '\u0001', '\u2028'])
  return dice.chance(0.3) ? text.repeat(dice.int(98, 102)) : `${text}${dice.int(0, 9)}`
}

function drawnFields(dice: Dice): Record<string, unknown> {
  const value = (): unknown =>
    dice.pick([
      () => drawnText(dice),
      () => dice.int(-9, 9),
      () => dice.pick([0.1, 1e21, 1e-7, 2 ** 53, 1.5e300]),
      () => dice.chance(0.5),
      () => [drawnText(dice)],
      () => '',
    ])()
  return Object.fromEntries(Array.from({ length: dice.int(0, 5) }, (_, i) => [`key_${i}`, value()]))
}

const tasks = ask<{ realm: number; id: string; labels: string; custom_fields: string }>(
  sql`select realm, id, labels, custom_fields from tasks`,
)

const heads = ask<{ realm: number; sequence: number }>(sql`select realm, event_sequence as sequence from realms`)

/** The rows that the migrations after the first `count` derive from existing rows. */
export async function derivedRows(store: Store, count: number): Promise<Rows> {
  const names = migrations.slice(count).map(({ name }) => name)
  const derived = new Map<string, string>()
  if (count === 0) return derived
  const reader = store.reader('system')
  if (names.includes('0009_task_terms')) {
    const found = await reader.all(tasks)
    const terms = found.flatMap((task) => termsOf(task).map((term) => ({ realm: task.realm, term, task: task.id })))
    derived.set('task_terms', asText(terms))
  }
  const isSharded = !names.includes('0024_shards')
  if (!isSharded) derived.set('event_heads', asText(await reader.all(heads)))
  if (names.includes('0033_inbox')) {
    const found = await reader.all(isSharded ? inboxHeads : olderInboxHeads)
    derived.set('inbox_positions', asText(found.map(inboxPosition)))
  }
  return derived
}

interface InboxHead {
  readonly realm: number
  readonly organization: string
  readonly sequence: number
}

const inboxHeads = ask<InboxHead>(sql`select event_heads.realm, organization, event_heads.sequence from event_heads
  join realms on realms.realm = event_heads.realm where event_heads.sequence > 0`)
const olderInboxHeads = ask<InboxHead>(
  sql`select realm, organization, event_sequence as sequence from realms where event_sequence > 0`,
)

/** The inbox begins after the events that exist. */
function inboxPosition({ realm, organization, sequence }: InboxHead): object {
  const begun = { realm, organization, sequence, event: null, begins: sequence, generation: 1 }
  return { ...begun, rebuilt_from: null, rebuilt_to: null, clock_at: 0, looked_at: 0 }
}
