/** Checks a database that was restored from a continuous backup, in its own folder, before anything relies on it. */
import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { referencedContents } from '../db/backup/backup.ts'
import { type ContentRow, readCopied } from '../db/backup/follow/contents.ts'
import { checkIntegrity } from '../db/backup/inspect.ts'
import { migrate, requireKnownMigrations } from '../db/migrate.ts'
import { readSecretKeyRow } from '../db/secret-key/check.ts'
import { isCorrupt } from '../db/sqlite/errors.ts'
import { SqliteStore } from '../db/sqlite/store.ts'
import { DamagedDatabase, NewerDatabase, type Store } from '../db/store.ts'
import { systemClock } from '../lib/clock.ts'
import { Sealer } from '../lib/seal.ts'
import { verifyAudit } from '../resources/audit_logs/verify.ts'
import type { OpenedDestination } from './backup-destination.ts'
import { Failure } from './command.ts'
import { keyFile } from './database-files.ts'
import { cli_limits } from './limits.ts'

export interface Verified {
  readonly audit_entries: number
  /** Fingerprint of the secret key that the database belongs to. */
  readonly secret_key: string | null
}

/** The SQLite database at `path`, with every page. Rejects with Failure. */
export const verifyDatabase = (path: string, use?: (store: Store) => Promise<void>): Promise<Verified> =>
  verifyStore(async () => new SqliteStore(path), use)

/** The same for a recovered PostgreSQL server, whose files were compared with their manifest. */
export async function verifyServer(url: string, use?: (store: Store) => Promise<void>): Promise<Verified> {
  const { openStore } = await import('../db/open.ts')
  return await verifyStore(() => openStore(url), use)
}

/** Opens a database, migrates it, and checks every page and the audit log. */
async function verifyStore(
  open: () => Promise<Store>,
  use: (store: Store) => Promise<void> = async () => {},
): Promise<Verified> {
  const wrong = (message: string) => new Failure(`The restored database is not whole: ${message}.`)
  let store: Store
  try {
    store = await open()
  } catch (error) {
    if (error instanceof DamagedDatabase || isCorrupt(error)) throw wrong((error as Error).message.replace(/\.$/, ''))
    throw error
  }
  try {
    const [finding] = await checkIntegrity(store)
    if (finding !== undefined) throw wrong(finding.replaceAll('\n', ' '))
    await requireKnownMigrations(store)
    await migrate(store, systemClock.now())
    const verdict = await verifyAudit(store)
    if (!verdict.ok) throw wrong(`${verdict.organization}: ${verdict.message}`)
    const row = await readSecretKeyRow(store)
    await use(store)
    return { audit_entries: verdict.entries, secret_key: row?.fingerprint ?? null }
  } catch (error) {
    if (isCorrupt(error)) throw wrong((error as Error).message)
    if (error instanceof NewerDatabase) throw new Failure(`The backup was made by a newer version: ${error.message}.`)
    throw error
  } finally {
    await store.close()
  }
}

/** The contents that files of the database have and the destination lacks, the first few by name. */
export async function missingContents(store: Store, { destination, key }: OpenedDestination) {
  const missing = { count: 0, keys: [] as string[] }
  for await (const row of referencedContents(store.reader('system'))) {
    if ((await readCopied(destination, key, row satisfies ContentRow)) === null) noteMissing(missing, row.key)
  }
  return missing
}

export function noteMissing(missing: { count: number; readonly keys: string[] }, key: string): void {
  missing.count++
  if (missing.keys.length < cli_limits.missing_files_shown) missing.keys.push(key)
}

/** Refuses a database of another secret key than the configured one; without a configured key nothing is compared. */
export async function requireConfiguredKey(config: Config, fingerprint: string | null): Promise<void> {
  if (fingerprint === null || (config.secretKey === null && !existsSync(keyFile(config)))) return
  const { secretKeyOf } = await import('../secret-key.ts')
  if (new Sealer(secretKeyOf(config)).fingerprint === fingerprint) return
  throw new Failure(
    `The backup belongs to another secret key: its fingerprint is ${fingerprint}. Set ATRIUM_SECRET_KEY to it.`,
  )
}
