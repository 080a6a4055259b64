/**
 * How commands get the configuration, the database and the services. An error while opening becomes one line that names
 * the variable to check. Only commands that found something create a missing database.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '../api/declare/caller.ts'
import type { RealmMode } from '../api/write/record.ts'
import { type Config, readConfig } from '../config.ts'
import { DamagedDatabase, DatabaseMisconfigured, type Store, StoreUnavailable, UpgradeRefused } from '../db/store.ts'
import type { Log } from '../lib/log.ts'
import type { OpenServices } from '../main.ts'
import { announce } from './announce.ts'
import { Failure } from './command.ts'
import { type OpenedDatabase, openOrCreate, requireDatabase } from './database-files.ts'
import { cli_limits } from './limits.ts'
import { sentence } from './print.ts'
import { runningServerUrl } from './server-address.ts'

/** A command's standard output is its result: it logs nothing. */
const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

interface Opening {
  /** Creates a missing database, and waits for a PostgreSQL that is about to start. */
  readonly create?: boolean
  /** Opens also a database of another secret key: the command checks the key itself. */
  readonly anyKey?: boolean
}

/** The configuration of a process that serves: wrong values are refused before anything is loaded. */
export async function readServingConfig(): Promise<Config> {
  readConfig()
  const { operationIds } = await import('../catalogue.ts')
  return readConfig(undefined, operationIds)
}

/** Runs `use` with what requests would be served with. */
export async function withServices<T>(
  use: (services: OpenServices, config: Config, place: OpenedDatabase | null) => Promise<T>,
  { create = false }: Opening = {},
): Promise<T> {
  const config = readConfig()
  if (!create) await requireDatabase(config)
  const { openServices } = await import('../main.ts')
  const open = () => openServices(config, { log: silent })
  const { opened: services, place } = create ? await created(config, open) : await existing(config, open)
  if (config.publicUrl === null) services.settings.publicUrl = runningServerUrl(config) ?? services.settings.publicUrl
  try {
    return await use(services, config, place)
  } finally {
    await services.close()
  }
}

/** Runs `use` with the bare database; opening it changes nothing in it. Another secret key's database is refused. */
export async function withStore<T>(
  use: (store: Store, config: Config, place: OpenedDatabase | null) => Promise<T>,
  { create = false, anyKey = false }: Opening = {},
): Promise<T> {
  const config = readConfig()
  if (!create) await requireDatabase(config)
  const { openStore } = await import('../db/open.ts')
  const { secretKeyOf } = await import('../secret-key.ts')
  const open = () => openStore(config.databaseUrl, config.databaseUrls)
  const createdWithKey = async () => {
    secretKeyOf(config)
    return await open()
  }
  const { opened: store, place } = create ? await created(config, createdWithKey) : await existing(config, open)
  try {
    if (!anyKey) await requireKey(config, store)
    return await use(store, config, place)
  } finally {
    await store.close()
  }
}

async function requireKey(config: Config, store: Store): Promise<void> {
  const [{ requireKeyOf }, { requireKnownMigrations }] = await Promise.all([
    import('../secret-key.ts'),
    import('../db/migrate.ts'),
  ])
  await requireKnownMigrations(store)
  await requireKeyOf(config, store)
}

const existing = async <T>(config: Config, open: () => Promise<T>) => ({
  opened: await opened(config, open),
  place: null,
})

/** Opens the database, or creates it; waits for a PostgreSQL that is about to start. */
export async function created<T>(
  config: Config,
  open: () => Promise<T>,
  waiting: (reason: string) => void = () => {},
): Promise<{ readonly opened: T; readonly place: OpenedDatabase }> {
  return await opened(config, () => openOrCreate(config, () => openedPatiently(config, open, waiting)))
}

/** The number of an organization's live (by default) or test data set. */
export async function realmOf(services: OpenServices, organization: string, mode: Mode = 'live'): Promise<RealmMode> {
  const { requireRealms } = await import('../resources/organizations/shared/queries.ts')
  const realms = await requireRealms(services.store, organization)
  return realms.find((realm) => realm.mode === mode) as RealmMode
}

/** Opens; an error of the system becomes one line that names the setting to check. */
export async function opened<T>(config: Config, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    throw explained(config, error)
  }
}

/** The same, but waits for a PostgreSQL that does not answer yet. */
export async function openedPatiently<T>(
  config: Config,
  open: () => Promise<T>,
  waiting: (reason: string) => void = () => {},
): Promise<T> {
  const until = performance.now() + cli_limits.database_start_ms
  for (let attempt = 1; ; attempt++) {
    try {
      return await open()
    } catch (error) {
      const spent = performance.now() + cli_limits.database_start_pause_ms > until
      if (spent || !mayAnswerSoon(config, error)) throw explained(config, error)
      if (attempt === 1) waiting(reasonOf((error as Error).cause ?? error))
    }
    await sleep(cli_limits.database_start_pause_ms)
  }
}

/** Logs why a process does not serve yet. */
export const tellWaiting = (reason: string): void => announce('waiting for the database', { reason })

/** SQLSTATE of a role that lacks a right. */
const insufficient_privilege = '42501'

/** invalid_authorization_specification, invalid_catalog_name, insufficient_privilege: waiting changes nothing. */
const settled_refusals = /^(28|3D|42501)/

function mayAnswerSoon(config: Config, error: unknown): boolean {
  const remote = !config.databaseUrl.startsWith('file:')
  return remote && error instanceof StoreUnavailable && !settled_refusals.test(codeOf(error.cause))
}

export function explained(config: Config, error: unknown): unknown {
  if (error instanceof DatabaseMisconfigured || error instanceof UpgradeRefused) return new Failure(error.message)
  if (codeOf(error) === insufficient_privilege) return new Failure(refusedRole(error))
  if (error instanceof DamagedDatabase) return Object.assign(new Failure(sentence(error.message)), { cause: error })
  if (error instanceof StoreUnavailable && !config.databaseUrl.startsWith('file:')) {
    return new Failure(`The database cannot be reached (ATRIUM_DATABASE_URL): ${reasonOf(error.cause ?? error)}.`)
  }
  if (error instanceof StoreUnavailable || codeOf(error) === 'ERR_SQLITE_ERROR') {
    return new Failure(`The database cannot be opened (ATRIUM_DATABASE_URL): ${reasonOf(error)}.`)
  }
  if (/^(EACCES|EPERM|EROFS|ENOTDIR|EEXIST|EISDIR|ENOSPC|ENOENT)$/.test(codeOf(error))) {
    return new Failure(`The data directory cannot be used (ATRIUM_DATA_DIR): ${reasonOf(error)}.`)
  }
  return error
}

/** Since PostgreSQL 15 only the owner of a database may create tables in its schema `public`. */
const refusedRole = (error: unknown): string =>
  `The role of ATRIUM_DATABASE_URL lacks a right: ${reasonOf(error)}. It must own the database (ALTER DATABASE … OWNER TO …) and its tables.`

export function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '')
}

/** The message of an AggregateError (a name with several addresses) is empty; those of its errors are not. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** For commands that only read: they do not migrate the database. */
export async function requireMigrated(store: Store): Promise<void> {
  const { pendingMigrations, requireKnownMigrations } = await import('../db/migrate.ts')
  await requireKnownMigrations(store)
  const pending = await pendingMigrations(store)
  if (pending.length > 0) {
    throw new Failure(`The database is not up to date (${pending.join(', ')}). Run 'atrium migrate'.`)
  }
}
