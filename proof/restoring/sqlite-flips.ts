/**
 * Flipped bits in the files of SQLite, which keeps no checksums of the pages in its database file: what a server then
 * answers, and who finds out what it does not.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { Manifest } from '../../server/src/db/backup.ts'
import { checkIntegrity } from '../../server/src/db/inspect.ts'
import { rawQuery } from '../../server/src/db/query.ts'
import { verifyAudit } from '../../server/src/resources/audit_logs/verify.ts'
import { call } from '../../server/test/call.ts'
import { assertSound, reading } from '../../server/test/durability/soundness.ts'
import { assertFolds } from '../../server/test/fold.ts'
import type { Dice } from '../dice.ts'
import { over } from '../upgrading/dump.ts'
import { contentOf, flipped } from './flips.ts'
import { type Answers, askAgain, crawl, type Environment, withServer } from './probes.ts'

/** A SQLite database that nobody has open. */
export interface Resting {
  readonly file: string
  /** Where copies may be made. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly key: string
}

/** A copy in a folder of its own, its log too. */
function copyOf({ file, folder }: Resting): string {
  const to = join(folder, 'flip')
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to)
  const copy = join(to, 'atrium.db')
  for (const part of ['', '-wal']) if (existsSync(file + part)) copyFileSync(file + part, copy + part)
  return copy
}

/**
 * What became of a flip in the database file: `detected` is refused or fails, `served` is answered wrongly, `unasked` stands
 * in a row that no reading request shows.
 */
export type Came = 'harmless' | 'detected' | `${'served' | 'unasked'}, found by ${Finder}`

/**
 * Who finds that something is wrong, the first of: `doctor` (its quick check, and `atrium audit verify`), SQLite's own
 * integrity_check, which compares tables with their indexes, whoever folds the events and compares, and nobody.
 */
type Finder = 'doctor' | 'integrity_check' | 'the fold' | 'nobody'

export class FileFlips {
  private readonly resting: Resting
  private readonly sound: Answers
  private readonly content: string

  private constructor(resting: Resting, sound: Answers, content: string) {
    this.resting = resting
    this.sound = sound
    this.content = content
  }

  /** Learns what is answered over the database as it is. */
  static async open(resting: Resting): Promise<FileFlips> {
    const copy = copyOf(resting)
    const content = JSON.stringify(await contentOf(`file:${copy}`, `${copy}.gz`))
    const sound = await crawl(at(resting, copyOf(resting)), resting.key)
    const { errors, wrong } = await askAgain(at(resting, copyOf(resting)), resting.key, sound)
    if (errors + wrong.length > 0) throw new Error(`a sound database is answered otherwise: ${wrong.join()}`)
    return new FileFlips(resting, sound, content)
  }

  /** How many answers are compared. */
  get answers(): number {
    return this.sound.size
  }

  /** Flips one bit: of the text of some row's column (`in`), or anywhere. */
  async flip(dice: Dice, of: string | null): Promise<Came> {
    const copy = copyOf(this.resting)
    const bytes = readFileSync(copy)
    const place = of === null ? 0 : placeOf(bytes, of, dice)
    const bad = flipped(bytes, dice, place, of === null ? bytes.length : place + Buffer.byteLength(of))
    writeFileSync(copy, bad)
    const asked = await askAgain(at(this.resting, copy), this.resting.key, this.sound).catch(() => null)
    if (asked === null) return 'detected'
    // Being asked has written into the copy.
    writeFileSync(copyOf(this.resting), bad)
    if (asked.wrong.length > 0)
      return `served, found by ${await foundBy(copy, at(this.resting, copy), this.resting.key)}`
    const content = await contentOf(`file:${copy}`, `${copy}.gz`).then(JSON.stringify, () => null)
    if (content === null || (asked.errors > 0 && content !== this.content)) return 'detected'
    if (content === this.content) return asked.errors > 0 ? 'detected' : 'harmless'
    return `unasked, found by ${await foundBy(copy, at(this.resting, copy), this.resting.key)}`
  }
}

function at({ environment }: Resting, copy: string): Environment {
  return { ...environment, ATRIUM_DATABASE_URL: `file:${copy}` }
}

/** One of the places where a text stands. */
function placeOf(bytes: Buffer, text: string, dice: Dice): number {
  const places: number[] = []
  for (let i = bytes.indexOf(text); i >= 0; i = bytes.indexOf(text, i + 1)) places.push(i)
  return dice.pick(places)
}

async function foundBy(copy: string, environment: Environment, key: string): Promise<Finder> {
  if (!(await doctorIsContent(copy))) return 'doctor'
  const database = new DatabaseSync(copy)
  try {
    if (database.prepare('pragma integrity_check(1)').get()?.integrity_check !== 'ok') return 'integrity_check'
  } catch {
    return 'integrity_check'
  } finally {
    database.close()
  }
  return (await isFolded(environment, key).catch(() => false)) ? 'nobody' : 'the fold'
}

const liveRealm = rawQuery(() => sql<{ realm: number }>`select realm from realms where mode = 'live'`)

async function isFolded(environment: Environment, key: string): Promise<boolean> {
  return await over(environment.ATRIUM_DATABASE_URL as string, async (store) => {
    const { realm: live = 0 } = (await store.reader('system').first(liveRealm)) ?? {}
    await withServer(environment, async (url) => {
      const get = (path: string) => call(url, 'GET', path, { key })
      await assertFolds({ services: { store }, acme: { realms: { live } }, get })
    })
    return true
  })
}

async function doctorIsContent(copy: string): Promise<boolean> {
  return await over(
    `file:${copy}`,
    async (store) => (await checkIntegrity(store)).length === 0 && (await verifyAudit(store, undefined)).ok,
  ).catch(() => false)
}

/** `cut`: the log ends where the bit was flipped, and the database stands as it did there, whole. */
export type CameOfLog = 'harmless' | 'detected' | 'cut' | 'served'

/** Flips one bit of the write-ahead log that a killed server left. */
export async function flipLog(resting: Resting, organization: string, dice: Dice): Promise<CameOfLog> {
  const sound = await hashed(copyOf(resting))
  const copy = copyOf(resting)
  writeFileSync(`${copy}-wal`, flipped(readFileSync(`${copy}-wal`), dice))
  let content: Manifest['tables']
  try {
    content = await hashed(copy)
  } catch {
    return 'detected'
  }
  if (JSON.stringify(content) === JSON.stringify(sound)) return 'harmless'
  return await reading(`file:${copy}`, (reader) => assertSound(reader, organization)).then(
    () => 'cut',
    () => 'served',
  )
}

async function hashed(copy: string): Promise<Manifest['tables']> {
  return await contentOf(`file:${copy}`, `${copy}.gz`)
}
