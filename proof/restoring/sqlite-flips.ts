/**
 * Flips bits in the files of SQLite, whose database pages have no checksums: what a server then answers, and which check
 * finds the damage that it does not.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { Manifest } from '../../server/src/db/backup/backup.ts'
import { checkIntegrity } from '../../server/src/db/backup/inspect.ts'
import { rawQuery } from '../../server/src/db/query.ts'
import { verifyAudit } from '../../server/src/resources/audit_logs/verify.ts'
import { call } from '../../server/test/call.ts'
import { assertSound, reading } from '../../server/test/durability/soundness.ts'
import { assertFolds } from '../../server/test/fold.ts'
import type { Dice } from '../dice.ts'
import { withStore } from '../with-store.ts'
import { contentOf, flipped } from './flips.ts'
import { type Answers, askAgain, crawl, type Environment, withServer } from './probes.ts'

/** A SQLite database that no process has open. */
export interface ClosedDatabase {
  readonly file: string
  /** For copies. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly key: string
}

/** Copies the database with its write-ahead log into a new folder. */
function copyOf({ file, folder }: ClosedDatabase): string {
  const to = join(folder, 'flip')
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to)
  const copy = join(to, 'atrium.db')
  for (const part of ['', '-wal']) if (existsSync(file + part)) copyFileSync(file + part, copy + part)
  return copy
}

/**
 * The result of a flip in the database file. `detected`: requests are refused or fail. `served`: some answer is wrong.
 * `unasked`: the damage is in a row that no read request shows.
 */
export type FileFlipResult = 'harmless' | 'detected' | `${'served' | 'unasked'}, found by ${Finder}`

/**
 * The first check that finds the damage: `atrium doctor` with `atrium audit verify`, then SQLite's integrity_check, which
 * compares tables with their indexes, then folding the events and comparing the objects.
 */
type Finder = 'doctor' | 'integrity_check' | 'the fold' | 'no check'

export class FileFlips {
  private readonly database: ClosedDatabase
  private readonly sound: Answers
  private readonly content: string

  private constructor(database: ClosedDatabase, sound: Answers, content: string) {
    this.database = database
    this.sound = sound
    this.content = content
  }

  /** Records the answers over the undamaged database. */
  static async open(database: ClosedDatabase): Promise<FileFlips> {
    const copy = copyOf(database)
    const content = JSON.stringify(await contentOf(`file:${copy}`, `${copy}.gz`))
    const sound = await crawl(environmentOf(database, copyOf(database)), database.key)
    const { errors, wrong } = await askAgain(environmentOf(database, copyOf(database)), database.key, sound)
    if (errors + wrong.length > 0) throw new Error(`answers over an undamaged database differ: ${wrong.join()}`)
    return new FileFlips(database, sound, content)
  }

  /** Flips one bit: within an occurrence of `text`, or anywhere if `null`. */
  async flip(dice: Dice, text: string | null): Promise<FileFlipResult> {
    const copy = copyOf(this.database)
    const environment = environmentOf(this.database, copy)
    const bytes = readFileSync(copy)
    const from = text === null ? 0 : occurrenceOf(bytes, text, dice)
    const bad = flipped(bytes, dice, from, text === null ? bytes.length : from + Buffer.byteLength(text))
    writeFileSync(copy, bad)
    const answers = await askAgain(environment, this.database.key, this.sound).catch(() => null)
    if (answers === null) return 'detected'
    // The requests have written into the copy.
    writeFileSync(copyOf(this.database), bad)
    if (answers.wrong.length > 0) return `served, found by ${await foundBy(copy, environment, this.database.key)}`
    const content = await contentOf(`file:${copy}`, `${copy}.gz`).then(JSON.stringify, () => null)
    if (content === null || (answers.errors > 0 && content !== this.content)) return 'detected'
    if (content === this.content) return answers.errors > 0 ? 'detected' : 'harmless'
    return `unasked, found by ${await foundBy(copy, environment, this.database.key)}`
  }
}

function environmentOf({ environment }: ClosedDatabase, copy: string): Environment {
  return { ...environment, ATRIUM_DATABASE_URL: `file:${copy}` }
}

/** The offset of a random occurrence of the text. */
function occurrenceOf(bytes: Buffer, text: string, dice: Dice): number {
  const offsets: number[] = []
  for (let i = bytes.indexOf(text); i >= 0; i = bytes.indexOf(text, i + 1)) offsets.push(i)
  return dice.pick(offsets)
}

async function foundBy(copy: string, environment: Environment, key: string): Promise<Finder> {
  if (!(await passesDoctor(copy))) return 'doctor'
  const database = new DatabaseSync(copy)
  try {
    if (database.prepare('pragma integrity_check(1)').get()?.integrity_check !== 'ok') return 'integrity_check'
  } catch {
    return 'integrity_check'
  } finally {
    database.close()
  }
  return (await passesFold(environment, key).catch(() => false)) ? 'no check' : 'the fold'
}

const liveRealm = rawQuery(() => sql<{ realm: number }>`select realm from realms where mode = 'live'`)

async function passesFold(environment: Environment, key: string): Promise<boolean> {
  return await withStore(environment.ATRIUM_DATABASE_URL as string, async (store) => {
    const { realm: live = 0 } = (await store.reader('system').first(liveRealm)) ?? {}
    await withServer(environment, async (url) => {
      const get = (path: string) => call(url, 'GET', path, { key })
      await assertFolds({ services: { store }, acme: { realms: { live } }, get })
    })
    return true
  })
}

async function passesDoctor(copy: string): Promise<boolean> {
  return await withStore(
    `file:${copy}`,
    async (store) => (await checkIntegrity(store)).length === 0 && (await verifyAudit(store, undefined)).ok,
  ).catch(() => false)
}

/** `cut`: the log ends at the flipped bit, and the database is whole as of that point. */
export type LogFlipResult = 'harmless' | 'detected' | 'cut' | 'served'

/** Flips one bit of the write-ahead log that a killed server left behind. */
export async function flipLog(database: ClosedDatabase, organization: string, dice: Dice): Promise<LogFlipResult> {
  const sound = await hashesOf(copyOf(database))
  const copy = copyOf(database)
  writeFileSync(`${copy}-wal`, flipped(readFileSync(`${copy}-wal`), dice))
  let content: Manifest['tables']
  try {
    content = await hashesOf(copy)
  } catch {
    return 'detected'
  }
  if (JSON.stringify(content) === JSON.stringify(sound)) return 'harmless'
  return await reading(`file:${copy}`, (reader) => assertSound(reader, organization)).then(
    () => 'cut',
    () => 'served',
  )
}

async function hashesOf(copy: string): Promise<Manifest['tables']> {
  return await contentOf(`file:${copy}`, `${copy}.gz`)
}
