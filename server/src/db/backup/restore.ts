/**
 * Restores a backup into an empty database of either engine. First the whole file is verified. Then the request log is
 * written, because SQLite commits its file separately, and then everything else in one transaction. An interrupted
 * restore leaves no organization and can be repeated. A backup of an earlier version gets its own tables and is then
 * migrated.
 */
import { sql } from 'kysely'
import type { RowValues } from '../engine/value.ts'
import { db_limits } from '../limits.ts'
import { applyMigrations, migrate, migrations, pendingMigrations } from '../migrate.ts'
import { insertJoined } from '../postgres/joined.ts'
import { charsOf, RowShape } from '../postgres/row-shape.ts'
import { onceQuery, query, rawQuery, shapedQuery, type Value, type Values } from '../query.ts'
import type { Store, Tx } from '../store.ts'
import { content_section, type Manifest, readBackup, type Section } from './backup.ts'

const anyOrganization = rawQuery(() => sql<{ organization: string }>`select organization from organizations limit 1`)

/** Why a complete backup cannot be restored here. */
export class CannotRestore extends Error {}

/** Where the content of files is restored to. */
export interface TakenContents {
  /** Writes the next piece of a content; pieces of one key follow each other. */
  piece(key: string, sha256: string, bytes: Buffer): Promise<void>
  /** Completes the last content. */
  finish(): Promise<void>
  /** Removes everything that was written. */
  abort(): Promise<void>
}

/**
 * Restores a verified backup and returns its manifest. `now` (milliseconds) is when migrations were applied. Content is durable
 * before the rows that name it; a restore that fails leaves none.
 */
export async function restoreBackup(
  store: Store,
  path: string,
  now: number,
  contents: TakenContents | null = null,
): Promise<Manifest> {
  try {
    const manifest = await loadBackup(store, path, now, contents)
    await migrate(store, now)
    if (!hasSecretKey(manifest)) await store.write('system', async (tx) => tx.write(deleteSecretKey, {}))
    return manifest
  } catch (error) {
    await contents?.abort()
    throw error
  }
}

/** The same without the migrations since the backup: the database has the tables of the program that wrote it. */
export async function loadBackup(
  store: Store,
  path: string,
  now: number,
  contents: TakenContents | null = null,
): Promise<Manifest> {
  const manifest = await readBackup(path)
  const unknown = manifest.migrations.filter((name) => !migrations.some((each) => each.name === name))
  if (unknown.length > 0) {
    throw new CannotRestore(`the backup was made by a newer version of Atrium: it has ${unknown.join(', ')}`)
  }
  await requireEmpty(store)
  await applyMigrations(store, manifest.migrations, now)
  if (contents !== null) await takeContents(path, manifest, contents)
  await takeRows(store, path, manifest, 'request log')
  await takeRows(store, path, manifest, 'everything else')
  return manifest
}

async function takeContents(path: string, manifest: Manifest, contents: TakenContents): Promise<void> {
  const again = await readBackup(path, {
    async row({ table }, [key, sha256, base64]) {
      if (table !== content_section) return
      await contents.piece(String(key), String(sha256), Buffer.from(String(base64), 'base64'))
    },
  })
  if (again.sha256 !== manifest.sha256) throw changedFile()
  await contents.finish()
}

const changedFile = () => new CannotRestore('the file was changed while it was read')

/**
 * Writes the rows of a part of the file in one transaction. Deletes what an earlier attempt left of the request log
 * first.
 */
async function takeRows(store: Store, path: string, manifest: Manifest, part: 'request log' | 'everything else') {
  const isLog = part === 'request log'
  await store.migrate(async (tx) => {
    if ((await tx.first(anyOrganization)) !== undefined) throw new CannotRestore('the database is no longer empty')
    if (isLog) tx.write(deleteRequestLog, {})
    // The backup has its own, sealed values and all.
    if (!isLog && hasSecretKey(manifest)) tx.write(deleteSecretKey, {})
    // Citus would send each of several rows to its shard.
    const rows = new Rows(tx, store.dialect === 'postgres' && !store.isDistributed)
    const again = await readBackup(path, {
      row(section, values) {
        if (section.table === content_section || (section.table === 'request_logs') !== isLog) return
        return rows.take(section, values)
      },
    })
    await rows.settle()
    if (again.sha256 !== manifest.sha256) throw changedFile()
  })
}

/** A backup of an earlier version has no fingerprint, except in its head. */
function hasSecretKey({ tables }: Manifest): boolean {
  return 'secret_key' in tables
}

const deleteSecretKey = query((db) => db.deleteFrom('secret_key'))
const deleteRequestLog = query((db) => db.deleteFrom('request_logs'))

/** An installation that has been used keeps its data: a restore would mix two installations. */
async function requireEmpty(store: Store): Promise<void> {
  // Without tables there is nothing to check.
  if ((await pendingMigrations(store)).length === migrations.length) return
  const found = await store.reader('system').first(anyOrganization)
  if (found !== undefined) throw new CannotRestore('the database is not empty: restore into a new one')
}

/** Rows of one table that are inserted by one statement. */
interface Page {
  readonly shape: RowShape
  readonly rows: RowValues[]
  chars: number
}

/** Rows on their way into the tables. While the engine inserts a page, the next one is read. */
class Rows {
  private readonly tx: Tx
  private readonly joins: boolean
  private page: Page | null = null
  private waiting = 0
  private arrived: Promise<unknown> = Promise.resolve()

  /** `joins`: a page is one statement, because to PostgreSQL a statement costs more than a row. */
  constructor(tx: Tx, joins: boolean) {
    this.tx = tx
    this.joins = joins
  }

  async take({ table, columns }: Section, values: readonly Value[]): Promise<void> {
    const row: Record<string, Value> = Object.fromEntries(columns.map((column, i) => [column, values[i] ?? null]))
    // The backup does not contain content that no file has.
    if (table === 'file_contents' && row.unreferenced_at !== null) return
    // Previews are made again.
    if (table === 'file_contents') Object.assign(row, { preview_key: null, previewed_at: null })
    const isJoined = this.joins && this.join(table, columns, Object.values(row))
    if (!isJoined) this.tx.write(insertInto(table, columns), row)
    const isFull = (this.page?.chars ?? 0) > db_limits.write_buffer_chars_max
    if (++this.waiting >= db_limits.backup_page_rows || isFull) await this.send()
  }

  /** Whether the row is on the page. */
  private join(table: string, columns: readonly string[], row: RowValues): boolean {
    const isSame = this.page?.shape.table === table && this.page.shape.columns === columns
    if (!isSame) this.insert()
    this.page ??= { shape: new RowShape(table, columns), rows: [], chars: 0 }
    if (!this.page.shape.fits(row)) return false
    this.page.rows.push(row)
    this.page.chars += charsOf(row)
    return true
  }

  private insert(): void {
    if (this.page === null) return
    const { shape, rows } = this.page
    this.page = null
    if (rows.length > 0) this.tx.write(insertJoined(shape, null), shape.bind(rows))
  }

  /** Sends what was taken, and waits until what was sent before has arrived. */
  private async send(): Promise<void> {
    this.waiting = 0
    this.insert()
    const before = this.arrived
    // A refused row rejects it, and everything after it: it is awaited with the next page.
    this.arrived = Promise.resolve(this.tx.first(nothing))
    this.arrived.catch(() => {})
    await before
  }

  /** Waits until everything that was taken has arrived. */
  async settle(): Promise<void> {
    await this.send()
    await this.arrived
  }
}

const nothing = onceQuery(() => sql<{ one: number }>`select 1 as one`)

/** The names come from a file, though a verified one: they are quoted, never part of the text. */
function insertInto(table: string, columns: readonly string[]) {
  return shapedQuery<never, Values>(`restore ${table} ${columns.join()}`, (_, p) => {
    const names = sql.join(columns.map((column) => sql.ref(column)))
    return sql<never>`insert into ${sql.table(table)} (${names}) values (${sql.join(columns.map((column) => p(column)))})`
  })
}
