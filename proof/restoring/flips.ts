/** Flips bits in a backup and in the pages of PostgreSQL. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { BadBackup, type Manifest, readBackup, writeBackup } from '../../server/src/db/backup/backup.ts'
import { restoreBackup } from '../../server/src/db/backup/restore.ts'
import { migrations, pendingMigrations } from '../../server/src/db/migrate.ts'
import { newDatabase } from '../../server/test/engines.ts'
import { startPostgres } from '../../server/test/postgres.ts'
import type { Dice } from '../dice.ts'
import { withStore } from '../with-store.ts'

const about = { created: 0, secret_key: '' }

/** The bytes with one bit flipped, at `from` or later and before `to`. */
export function flipped(bytes: Buffer, dice: Dice, from = 0, to = bytes.length): Buffer {
  const other = Buffer.from(bytes)
  const at = dice.int(from, to - 1)
  other[at] = (other[at] as number) ^ (1 << dice.int(0, 7))
  return other
}

/** `served`: wrong data was returned. */
export type FlipResult = 'detected' | 'harmless' | 'served'

/** A hash of all rows of a backup. Rejects with BadBackup. */
export async function rowsIn(path: string): Promise<string> {
  const rows = createHash('sha256')
  await readBackup(path, {
    row({ table, columns }, values) {
      rows.update(JSON.stringify([table, columns, values]))
    },
  })
  return rows.digest('hex')
}

/**
 * Flips a bit of the compressed file or of its content. Reading it must fail or give the same rows. `isRestored`: the flipped
 * backup is restored instead of read; a refused restore must leave the database empty.
 */
export async function flipBackup(path: string, rows: string, dice: Dice, isRestored: boolean): Promise<FlipResult> {
  const bad = `${path}.bad`
  const packed = readFileSync(path)
  const isInside = dice.chance(0.5)
  writeFileSync(bad, isInside ? gzipSync(flipped(gunzipSync(packed), dice), { level: 1 }) : flipped(packed, dice))
  try {
    if (isRestored) return await restoreFlipped(path, bad)
    return (await rowsIn(bad)) === rows ? 'harmless' : 'served'
  } catch (error) {
    if (error instanceof BadBackup) return 'detected'
    throw error
  } finally {
    rmSync(bad)
  }
}

async function restoreFlipped(path: string, bad: string): Promise<FlipResult> {
  const database = await newDatabase('sqlite')
  try {
    const refused = await withStore(database.url, (store) => restoreBackup(store, bad, 0)).then(
      () => null,
      (error) => error,
    )
    if (refused !== null) {
      const pending = await withStore(database.url, pendingMigrations)
      if (refused instanceof BadBackup && pending.length === migrations.length) return 'detected'
      throw refused
    }
    const { tables } = await readBackup(path)
    const content = await contentOf(database.url, `${path}.again`)
    return JSON.stringify(content) === JSON.stringify(tables) ? 'harmless' : 'served'
  } finally {
    await database.remove()
  }
}

/** Hashes of all rows of a database. Rejects if the engine cannot read them. */
export async function contentOf(url: string, scratch: string): Promise<Manifest['tables']> {
  return await withStore(url, async (store) => (await writeBackup(store, scratch, about)).tables)
}

/** Flips one bit at a time in tables of a stopped PostgreSQL, then reads everything. */
export async function flipPostgres(backup: string, folder: string, count: number, dice: Dice): Promise<FlipResult[]> {
  // PostgreSQL runs as another user, who may not enter the deployment's folder.
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-flips-'))
  let server = await startPostgres({ dataDir })
  try {
    await withStore(server.url, (store) => restoreBackup(store, backup, 0))
    const files = await filesOf(server.url)
    const sound = JSON.stringify(await contentOf(server.url, join(folder, 'sound.gz')))
    await server.stop()
    const results: FlipResult[] = []
    for (let i = 0; i < count; i++) {
      const table = join(dataDir, 'cluster', dice.pick(files))
      const bytes = readFileSync(table)
      writeFileSync(table, flipped(bytes, dice))
      server = await startPostgres({ dataDir })
      const content = await contentOf(server.url, join(folder, 'content.gz')).then(JSON.stringify, () => 'detected')
      results.push(content === 'detected' ? content : content === sound ? 'harmless' : 'served')
      await server.stop()
      writeFileSync(table, bytes)
    }
    return results
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The files of all tables with rows. */
async function filesOf(url: string): Promise<string[]> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(
    `select pg_relation_filepath(c.oid) as path from pg_class c join pg_tables t on t.tablename = c.relname
     where t.schemaname = 'public' and c.relkind = 'r' and pg_relation_size(c.oid) > 0 order by c.relname`,
  )
  await client.end()
  return rows.map(({ path }) => path)
}
