/** Flipped bits: in a backup, in the file and in the write-ahead log of SQLite, in the pages of PostgreSQL. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { BadBackup, type Manifest, readBackup, writeBackup } from '../server/src/db/backup.ts'
import { checkIntegrity } from '../server/src/db/inspect.ts'
import { openStore } from '../server/src/db/open.ts'
import { verifyAudit } from '../server/src/resources/audit_logs/verify.ts'
import { assertSound } from '../server/test/durability/soundness.ts'
import { startPostgres } from '../server/test/postgres.ts'
import type { Dice } from './dice.ts'

const about = { created: 0, secret_key: '' }

/** The bytes with one bit of them flipped. */
export function flipped(bytes: Buffer, dice: Dice): Buffer {
  const other = Buffer.from(bytes)
  const at = dice.int(0, bytes.length - 1)
  other[at] = (other[at] as number) ^ (1 << dice.int(0, 7))
  return other
}

export type Noticed = 'detected' | 'harmless' | 'served'

/** A bit of the file as it lies, or of what is packed in it, and whether reading the backup tells. */
export async function flipBackup(path: string, whole: Manifest, dice: Dice): Promise<Noticed> {
  const bad = `${path}.bad`
  const packed = readFileSync(path)
  const isInside = dice.chance(0.5)
  writeFileSync(bad, isInside ? gzipSync(flipped(gunzipSync(packed), dice), { level: 1 }) : flipped(packed, dice))
  try {
    const manifest = await readBackup(bad)
    return JSON.stringify(manifest) === JSON.stringify(whole) ? 'harmless' : 'served'
  } catch (error) {
    if (error instanceof BadBackup) return 'detected'
    throw error
  } finally {
    rmSync(bad)
  }
}

/** What can be read of a database, as hashes; rejects when the engine finds that it cannot be read. */
async function contentOf(url: string, scratch: string): Promise<Manifest['tables']> {
  const store = await openStore(url)
  try {
    return (await writeBackup(store, scratch, about)).tables
  } finally {
    await store.close()
  }
}

/** The files of a SQLite database whose server was killed, and what stands in them. */
export interface Killed {
  readonly file: string
  readonly folder: string
  readonly organization: string
}

function copyTo(folder: string, { file }: Killed): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const copy = join(folder, 'atrium.db')
  copyFileSync(file, copy)
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`)
  return copy
}

/** What a flip in SQLite's files came to: `cut` shows an earlier moment whole, `doctor` is found by who looks. */
export type Came = Noticed | 'cut' | 'doctor'

/** A bit of the database (`''`) or of its write-ahead log (`-wal`). */
export async function flipSqlite(killed: Killed, part: '' | '-wal', dice: Dice): Promise<Came> {
  const folder = join(killed.folder, 'flip')
  const sound = await contentOf(`file:${copyTo(folder, killed)}`, join(folder, 'sound.gz'))
  const copy = copyTo(folder, killed)
  writeFileSync(copy + part, flipped(readFileSync(copy + part), dice))
  let content: Manifest['tables']
  try {
    content = await contentOf(`file:${copy}`, join(folder, 'content.gz'))
  } catch {
    return 'detected'
  }
  if (JSON.stringify(content) === JSON.stringify(sound)) return 'harmless'
  return part === '-wal' ? await asEarlier(copy, killed.organization) : await asDoctor(copy)
}

async function asEarlier(copy: string, organization: string): Promise<Came> {
  const store = await openStore(`file:${copy}`)
  try {
    await assertSound(store.reader('system'), organization)
    return 'cut'
  } catch {
    return 'served'
  } finally {
    await store.close()
  }
}

async function asDoctor(copy: string): Promise<Came> {
  const store = await openStore(`file:${copy}`)
  try {
    const isWhole = (await checkIntegrity(store)).length === 0 && (await verifyAudit(store, undefined)).ok
    return isWhole ? 'served' : 'doctor'
  } catch {
    return 'doctor'
  } finally {
    await store.close()
  }
}

/** Flips bits in the table of tasks of a PostgreSQL that is stopped, each alone, and reads everything. */
export async function flipPostgres(backup: string, folder: string, count: number, dice: Dice): Promise<Noticed[]> {
  // PostgreSQL runs as another user, who may not enter the folder of the place.
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-flips-'))
  let server = await startPostgres({ dataDir })
  const { restoreBackup } = await import('../server/src/db/restore.ts')
  const store = await openStore(server.url)
  await restoreBackup(store, backup, 0).finally(() => store.close())
  const client = new pg.Client(server.url)
  await client.connect()
  const { rows } = await client.query("select pg_relation_filepath('tasks') as path")
  await client.end()
  const sound = JSON.stringify(await contentOf(server.url, join(folder, 'sound.gz')))
  await server.stop()
  const table = join(dataDir, 'cluster', rows[0].path)
  const bytes = readFileSync(table)
  const came: Noticed[] = []
  for (let i = 0; i < count; i++) {
    writeFileSync(table, flipped(bytes, dice))
    server = await startPostgres({ dataDir })
    const content = await contentOf(server.url, join(folder, 'content.gz')).then(JSON.stringify, () => 'detected')
    came.push(content === 'detected' ? content : content === sound ? 'harmless' : 'served')
    await server.stop()
  }
  rmSync(dataDir, { recursive: true, force: true })
  return came
}
