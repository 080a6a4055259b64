/** Flipped bits in a backup and in the pages of PostgreSQL. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { BadBackup, type Manifest, readBackup, writeBackup } from '../../server/src/db/backup.ts'
import { migrations, pendingMigrations } from '../../server/src/db/migrate.ts'
import { restoreBackup } from '../../server/src/db/restore.ts'
import { newDatabase } from '../../server/test/engines.ts'
import { startPostgres } from '../../server/test/postgres.ts'
import type { Dice } from '../dice.ts'
import { over } from '../upgrading/dump.ts'

const about = { created: 0, secret_key: '' }

/** The bytes with one bit of them flipped, anywhere or from `from` to before `to`. */
export function flipped(bytes: Buffer, dice: Dice, from = 0, to = bytes.length): Buffer {
  const other = Buffer.from(bytes)
  const at = dice.int(from, to - 1)
  other[at] = (other[at] as number) ^ (1 << dice.int(0, 7))
  return other
}

export type Noticed = 'detected' | 'harmless' | 'served'

/** The rows of a backup as one hash; rejects with BadBackup. */
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
 * A bit of the file as it lies, or of what is packed in it: reading the backup tells, or its rows are the same. `restored`:
 * it is tried by restoring it, and what refuses leaves the database empty.
 */
export async function flipBackup(path: string, whole: string, dice: Dice, restored: boolean): Promise<Noticed> {
  const bad = `${path}.bad`
  const packed = readFileSync(path)
  const isInside = dice.chance(0.5)
  writeFileSync(bad, isInside ? gzipSync(flipped(gunzipSync(packed), dice), { level: 1 }) : flipped(packed, dice))
  try {
    if (restored) return await restoreFlipped(path, bad)
    return (await rowsIn(bad)) === whole ? 'harmless' : 'served'
  } catch (error) {
    if (error instanceof BadBackup) return 'detected'
    throw error
  } finally {
    rmSync(bad)
  }
}

async function restoreFlipped(path: string, bad: string): Promise<Noticed> {
  const database = await newDatabase('sqlite')
  try {
    const refused = await over(database.url, (store) => restoreBackup(store, bad, 0)).then(
      () => null,
      (error) => error,
    )
    if (refused !== null) {
      const pending = await over(database.url, pendingMigrations)
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

/** What can be read of a database, as hashes; rejects when the engine finds that it cannot be read. */
export async function contentOf(url: string, scratch: string): Promise<Manifest['tables']> {
  return await over(url, async (store) => (await writeBackup(store, scratch, about)).tables)
}

/** Flips bits in tables of a PostgreSQL that is stopped, each alone, and reads everything. */
export async function flipPostgres(backup: string, folder: string, count: number, dice: Dice): Promise<Noticed[]> {
  // PostgreSQL runs as another user, who may not enter the folder of the place.
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-flips-'))
  let server = await startPostgres({ dataDir })
  try {
    await over(server.url, (store) => restoreBackup(store, backup, 0))
    const files = await filesOf(server.url)
    const sound = JSON.stringify(await contentOf(server.url, join(folder, 'sound.gz')))
    await server.stop()
    const came: Noticed[] = []
    for (let i = 0; i < count; i++) {
      const table = join(dataDir, 'cluster', dice.pick(files))
      const bytes = readFileSync(table)
      writeFileSync(table, flipped(bytes, dice))
      server = await startPostgres({ dataDir })
      const content = await contentOf(server.url, join(folder, 'content.gz')).then(JSON.stringify, () => 'detected')
      came.push(content === 'detected' ? content : content === sound ? 'harmless' : 'served')
      await server.stop()
      writeFileSync(table, bytes)
    }
    return came
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The files of the tables that have something in them. */
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
