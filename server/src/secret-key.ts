/**
 * Where the installation's secret key comes from, and whether it is the key of the database. A rotation writes the next key
 * into a file first, then moves the database, then replaces the file of the former key; whatever it was cut off after, the
 * key that the database belongs to is found.
 */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Config, ConfigError } from './config.ts'
import { sqliteFile } from './db/open.ts'
import { openSealer, readSecretKeyRow, requireSecretKey, WrongSecretKey } from './db/secret-key/check.ts'
import { isRotating } from './db/secret-key/rotate.ts'
import type { Store } from './db/store.ts'
import { closeToOthers } from './lib/private-path.ts'
import { Sealer } from './lib/seal.ts'
import { newSecretKey, readKeyFile, replaceKeyFile, writeKeyFile } from './lib/secret-key.ts'

/** The file that holds the secret key where ATRIUM_SECRET_KEY does not. */
export function secretKeyFileOf(config: Config): string {
  return join(config.dataDir, 'secret.key')
}

/** The file of the key that a rotation is about to put in the place of the other. */
export function nextKeyFileOf(config: Config): string {
  return `${secretKeyFileOf(config)}.next`
}

/**
 * The installation's secret key: the one configured, else the one kept in the data directory, made there once. A file that
 * other accounts can read is closed to them.
 */
export function secretKeyOf(config: Config): Buffer {
  if (config.secretKey !== null) return config.secretKey
  const file = secretKeyFileOf(config)
  if (!existsSync(file)) {
    const database = sqliteFile(config.databaseUrl)
    // With another key, every credential would be refused and no sealed value could be opened.
    if (existsSync(database)) {
      throw new ConfigError(`${file} is missing, but ${database} exists. Put the key back, or set ATRIUM_SECRET_KEY.`)
    }
    writeKeyFile(file, newSecretKey())
  }
  closeKeysToOthers(config)
  const key = readKeyFile(file)
  if (key === null)
    throw new ConfigError(
      `${file} does not hold 32 bytes in base64. Put the right file back, or set ATRIUM_SECRET_KEY.`,
    )
  return key
}

/** The key and those that rotations keep beside it. */
function closeKeysToOthers(config: Config): void {
  const name = basename(secretKeyFileOf(config))
  for (const each of readdirSync(config.dataDir)) if (each.startsWith(name)) closeToOthers(join(config.dataDir, each))
}

/**
 * The secret key of a database that this program knows how to open; a database that is known to belong to another key is
 * refused with a ConfigError before anything is changed. Ends a rotation that was cut off before it had replaced the file.
 */
export async function requireKeyOf(config: Config, store: Store): Promise<Buffer> {
  const key = secretKeyOf(config)
  try {
    await requireSecretKey(store, key)
    return key
  } catch (error) {
    if (!(error instanceof WrongSecretKey)) throw error
    const next = await rotatedKey(config, store)
    if (next === null) throw wrongKey(config, error)
    return next
  }
}

/** The key that a rotation has moved the database to, if it was cut off after that; its file is then put in place. */
async function rotatedKey(config: Config, store: Store): Promise<Buffer | null> {
  const file = nextKeyFileOf(config)
  if (config.secretKey !== null || !existsSync(file)) return null
  const key = readKeyFile(file)
  const row = await readSecretKeyRow(store)
  if (key === null || new Sealer(key).fingerprint !== row?.fingerprint) return null
  replaceKeyFile(file, secretKeyFileOf(config))
  return key
}

/** The operator's line about a key that is not the database's. */
function wrongKey(config: Config, error: WrongSecretKey): ConfigError {
  const name = config.secretKey === null ? secretKeyFileOf(config) : 'ATRIUM_SECRET_KEY'
  return new ConfigError(
    `${name} is not the key of this database: ${error.message}. Use the key that it was last used with.`,
  )
}

/** The sealer of a migrated database, which is refused with a ConfigError if it belongs to another key. */
export async function sealerOf(config: Config, store: Store, key: Buffer): Promise<Sealer> {
  try {
    const sealer = await openSealer(store, key)
    if (await isRotating(store))
      throw new ConfigError('The secret key is being rotated. Start the server when the rotation has ended.')
    return sealer
  } catch (error) {
    throw error instanceof WrongSecretKey ? wrongKey(config, error) : error
  }
}
