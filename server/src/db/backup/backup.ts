/**
 * A backup: every row of every table at one moment, in one compressed file from which either engine can be restored. It
 * is written in pages while requests are served, so that it neither needs much memory nor delays other writers.
 *
 * The file is gzip of lines of JSON: a head; for each table its name and columns, and one line per row; the content of files in
 * the same form, in pieces; an end with the number of rows and the SHA-256 of each table and of everything before it. A truncated file, or one with a single bit
 * changed, is detected before anything is restored from it.
 */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PassThrough, type Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { createGunzip, createGzip } from 'node:zlib'
import { db_limits } from '../limits.ts'
import { appliedWithin } from '../migrate.ts'
import { query } from '../query.ts'
import type { FileContentRow } from '../schema.ts'
import type { Moment, Reader, Store } from '../store.ts'
import { derived_tables, type TableKey, tableKeys } from '../tables/keys.ts'

const backup_format = 1

interface TableSum {
  readonly rows: number
  readonly sha256: string
}

/** What a backup holds, as the head and the end of its file state it. */
export interface Manifest {
  readonly format: number
  /** Milliseconds. */
  readonly created: number
  readonly engine: string
  readonly migrations: readonly string[]
  /** Identifies the installation's secret key, with which values in the backup are sealed, without revealing it. */
  readonly secret_key: string
  readonly rows: number
  readonly tables: Readonly<Record<string, TableSum>>
  /** Over all lines before the end. */
  readonly sha256: string
}

type Head = Pick<Manifest, 'created' | 'engine' | 'migrations' | 'secret_key'>

/** The file is not a backup, or was damaged; the message says where reading failed. */
export class BadBackup extends Error {}

/** The name of a backup until it is whole: whose it is, and which process writes it. */
const unfinishedName = (path: string, installation: string, process: string) =>
  `${path}.${installation}-${process}.unfinished`
const unfinished_form = /\.([^.]+)-([0-9a-f]{16})\.unfinished$/

/**
 * Removes from a folder what killed processes left of backups. Files of other installations stay, and those of processes
 * that run. `installation`: the fingerprint of its secret key.
 */
export async function removeUnfinished(store: Store, folder: string, installation: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => [])
  const found = names.flatMap((name) => {
    const [, whose, process = ''] = unfinished_form.exec(name) ?? []
    return whose === installation ? [{ path: join(folder, name), process }] : []
  })
  if (found.length === 0) return []
  const ended = new Set(await store.processes.ended(found.map(({ process }) => process)))
  const left = found.filter(({ process }) => ended.has(process)).map(({ path }) => path)
  for (const path of left) await rm(path, { force: true })
  return left
}

/**
 * Writes the backup to `path`, under another name until it is whole and on disk, with the tables that the database has, also those
 * of an earlier version. Returns what it holds. Removes what killed
 * backups of this installation left in the folder. Rejects with StoreUnavailable if Citus moved a shard meanwhile.
 */
export async function writeBackup(
  store: Store,
  path: string,
  about: Pick<Head, 'created' | 'secret_key'>,
  contents: ReadContents | null = null,
): Promise<Manifest> {
  const unfinished = unfinishedName(path, about.secret_key, store.processes.own())
  await removeUnfinished(store, dirname(path), about.secret_key)
  const file = createWriteStream(unfinished, { mode: 0o600 })
  const lines = new PassThrough({ highWaterMark: db_limits.backup_buffer_bytes })
  const written = pipeline(lines, createGzip({ level: 6 }), file)
  written.catch(() => {})
  try {
    const manifest = await store.moment(async (moment) => {
      const head = { ...about, engine: store.dialect, migrations: await appliedWithin(moment.reader) }
      return await writeLines(moment, lines, head, contents)
    })
    lines.end()
    await written
    await makeDurable(unfinished)
    await rename(unfinished, path)
    // The file's name is stored in the folder: without this a power failure could remove it.
    await makeDurable(dirname(path))
    return manifest
  } catch (error) {
    lines.destroy()
    await finished(file).catch(() => {})
    // The error that is reported is the first one.
    await rm(unfinished, { force: true }).catch(() => {})
    throw error
  }
}

async function makeDurable(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function writeLines(moment: Moment, out: Writable, head: Head, contents: ReadContents | null): Promise<Manifest> {
  const whole = createHash('sha256')
  const tables: Record<string, TableSum> = {}
  await put(out, whole, JSON.stringify({ atrium_backup: backup_format, ...head }))
  for (const each of tableKeys(moment.reader.dialect, new Set(head.migrations))) {
    if (each.table === 'migrations' || derived_tables.has(each.table)) continue
    tables[each.table] = await writeTable(moment, out, whole, each)
  }
  if (contents !== null && 'file_contents' in tables)
    tables[content_section] = await writeContents(moment, contents, out, whole)
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0)
  const end = { rows, tables, sha256: whole.digest('hex') }
  await put(out, null, JSON.stringify({ end }))
  return { format: backup_format, ...head, ...end }
}

async function writeTable(moment: Moment, out: Writable, whole: Hash, { table, key }: TableKey): Promise<TableSum> {
  const own = createHash('sha256')
  let rows = 0
  let columns: string[] | null = null
  for await (const page of moment.pages(table, key)) {
    for (const row of page) {
      if (columns === null) {
        columns = Object.keys(row)
        await put(out, whole, JSON.stringify({ table, columns }))
      }
      const line = JSON.stringify(columns.map((column) => row[column]))
      rows++
      own.update(`${line}\n`)
      await put(out, whole, line)
    }
    // Other work runs between pages.
    await new Promise(setImmediate)
  }
  return { rows, sha256: own.digest('hex') }
}

/** Reads the stored content of files; null if nothing is stored under the key. */
export type ReadContents = (key: string, bytes: number) => Promise<AsyncIterable<Buffer> | null>

/** The section of contents; no table can have its name. A row is a piece of one content, in order. */
export const content_section = 'file content'

/** Whether files of a backup have their content elsewhere, in a bucket. The rows name its keys and hashes. */
export function holdsNoContent({ tables }: Manifest): boolean {
  return !(content_section in tables) && (tables.file_contents?.rows ?? 0) > 0
}

const content_columns = ['key', 'sha256', 'base64'] as const

/** The content of files is missing or damaged; the message names it. */
export class ContentLost extends Error {}

const contentsBehind = query<
  Pick<FileContentRow, 'realm' | 'sha256' | 'key' | 'bytes'>,
  { realm: number; sha256: string; count: number }
>((db, p) =>
  db
    .selectFrom('file_contents')
    .select(['realm', 'sha256', 'key', 'bytes'])
    .where('unreferenced_at', 'is', null)
    .where((or) =>
      or.or([or('realm', '>', p('realm')), or.and([or('realm', '=', p('realm')), or('sha256', '>', p('sha256'))])]),
    )
    .orderBy('realm')
    .orderBy('sha256')
    .limit(p('count')),
)

/** The contents that files have, in pages. */
export async function* referencedContents(reader: Reader) {
  let behind = { realm: -1, sha256: '' }
  for (;;) {
    const page = await reader.all(contentsBehind, { ...behind, count: db_limits.backup_page_rows })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < db_limits.backup_page_rows) return
    behind = last
  }
}

/** The contents that files had at a moment. */
async function* contentsOf(moment: Moment) {
  for await (const page of moment.pages('file_contents', ['realm', 'sha256']))
    for (const { sha256, key, bytes, unreferenced_at } of page)
      if (unreferenced_at === null) yield { sha256: String(sha256), key: String(key), bytes: Number(bytes) }
}

async function writeContents(moment: Moment, contents: ReadContents, out: Writable, whole: Hash): Promise<TableSum> {
  const own = createHash('sha256')
  let rows = 0
  await put(out, whole, JSON.stringify({ table: content_section, columns: content_columns }))
  for await (const { sha256, key, bytes } of contentsOf(moment)) {
    const content = createHash('sha256')
    const pieces = await contents(key, bytes)
    if (pieces === null) throw new ContentLost(`the content ${key} of a file is missing`)
    for await (const piece of pieces) {
      content.update(piece)
      const line = JSON.stringify([key, sha256, piece.toString('base64')])
      own.update(`${line}\n`)
      rows++
      await put(out, whole, line)
    }
    if (content.digest('hex') !== sha256) throw new ContentLost(`the content ${key} of a file is damaged`)
  }
  return { rows, sha256: own.digest('hex') }
}

async function put(out: Writable, whole: Hash | null, line: string): Promise<void> {
  whole?.update(`${line}\n`)
  if (!out.write(`${line}\n`)) await drained(out)
}

/** Rejects if the stream ends before: a full disk closes it, and nothing drains then. */
async function drained(out: Writable): Promise<void> {
  if (out.destroyed) throw out.errored ?? new Error('the backup cannot be written')
  await new Promise<void>((resolve, reject) => {
    const onDrain = () => {
      out.off('close', onClose)
      resolve()
    }
    const onClose = () => {
      out.off('drain', onDrain)
      reject(out.errored ?? new Error('the backup cannot be written'))
    }
    out.once('drain', onDrain)
    out.once('close', onClose)
  })
}

export interface Section {
  readonly table: string
  readonly columns: readonly string[]
}

/** Callbacks for the parts of a backup, in the order of the file. */
export interface Taking {
  head?(head: Head): Promise<void> | void
  row?(section: Section, values: readonly (string | number | null)[]): Promise<void> | void
}

/**
 * Reads a backup from start to end and returns its manifest. Rejects with BadBackup unless it is complete and
 * undamaged; `taking` has been called with everything before the fault by then.
 */
export async function readBackup(path: string, taking: Taking = {}): Promise<Manifest> {
  const reading = new BackupReading(taking)
  try {
    for await (const line of linesOf(path)) await reading.take(line)
  } catch (error) {
    throw asBad(error)
  }
  return reading.finish()
}

/** The lines of the unpacked file; holds only a few of them in memory. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const source = createReadStream(path)
  const unpacked = createGunzip()
  source.on('error', (error) => unpacked.destroy(error))
  source.pipe(unpacked)
  const decoder = new StringDecoder('utf8')
  let rest = ''
  try {
    for await (const chunk of unpacked) {
      const lines = (rest + decoder.write(chunk as Buffer)).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > db_limits.backup_line_chars_max) throw new BadBackup('the file has a line that is too long')
      yield* lines
    }
  } finally {
    source.destroy()
    unpacked.destroy()
  }
  if (rest !== '' || decoder.end() !== '') throw new BadBackup('the file ends in the middle of a line')
}

function asBad(error: unknown): unknown {
  const code = String((error as { code?: unknown }).code ?? '')
  if (code.startsWith('Z_') || error instanceof SyntaxError) {
    return new BadBackup(`the file is damaged: ${(error as Error).message}`)
  }
  return error
}

/** The state of a reading: hashes of what has been read, to compare with the end. */
class BackupReading {
  private readonly taking: Taking
  private readonly whole = createHash('sha256')
  private readonly sums = new Map<string, { rows: number; hash: Hash }>()
  private head: Head | null = null
  private section: Section | null = null
  private manifest: Manifest | null = null

  constructor(taking: Taking) {
    this.taking = taking
  }

  async take(line: string): Promise<void> {
    if (this.manifest !== null) throw new BadBackup('the file continues after its end')
    const said: unknown = JSON.parse(line)
    if (this.head === null) this.head = await this.begin(said)
    else if (Array.isArray(said)) await this.takeRow(line, said)
    else this.takeSection(said as Record<string, unknown>)
    if (this.manifest === null) this.whole.update(`${line}\n`)
  }

  private async begin(said: unknown): Promise<Head> {
    const { atrium_backup: format, ...head } = (said ?? {}) as Head & { atrium_backup?: unknown }
    if (format !== backup_format || !Array.isArray(head.migrations))
      throw new BadBackup('the file is not a backup of Atrium')
    await this.taking.head?.(head)
    return head
  }

  private async takeRow(line: string, values: (string | number | null)[]): Promise<void> {
    if (this.section === null || values.length !== this.section.columns.length) {
      throw new BadBackup('the file has a row where none belongs')
    }
    const sum = this.sums.get(this.section.table)
    if (sum === undefined) throw new BadBackup('the file has a row of no table')
    sum.rows++
    sum.hash.update(`${line}\n`)
    await this.taking.row?.(this.section, values)
  }

  private takeSection(said: Record<string, unknown>): void {
    if (typeof said.table === 'string' && Array.isArray(said.columns)) {
      this.section = { table: said.table, columns: said.columns as string[] }
      this.sums.set(said.table, { rows: 0, hash: createHash('sha256') })
    } else if (typeof said.end === 'object' && said.end !== null) this.end(said.end as Manifest)
    else throw new BadBackup('the file has a line that is neither row nor table')
  }

  private end(said: Pick<Manifest, 'rows' | 'tables' | 'sha256'>): void {
    if (said.sha256 !== this.whole.digest('hex')) throw new BadBackup('the content is not what was written')
    for (const [table, { rows, sha256 }] of Object.entries(said.tables)) {
      const sum = this.sums.get(table)
      const found = sum === undefined ? createHash('sha256').digest('hex') : sum.hash.digest('hex')
      if ((sum?.rows ?? 0) !== rows || found !== sha256)
        throw new BadBackup(`the table ${table} is not what was written`)
    }
    this.manifest = { format: backup_format, ...(this.head as Head), ...said }
  }

  finish(): Manifest {
    if (this.manifest === null) throw new BadBackup('the file has no end: it was not written completely')
    return this.manifest
  }
}
