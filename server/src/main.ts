/**
 * The composition root: configuration → database → services → workers → HTTP, closed in the reverse order. Nothing
 * else makes these parts or knows all of them.
 */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { Credentials } from './api/authenticate.ts'
import { Credits } from './api/charge.ts'
import { EventFeed } from './api/event-feed.ts'
import { OpenStreams } from './api/open-streams.ts'
import { RequestLog } from './api/request-log.ts'
import type { Services } from './api/services.ts'
import { TaskCounts } from './api/task-counts.ts'
import { type VersionChange, Versions } from './api/version.ts'
import { catalogue } from './catalogue.ts'
import { type Config, ConfigError } from './config.ts'
import { migrate } from './db/migrate.ts'
import { openStore, sqliteFile } from './db/open.ts'
import { createServer } from './http/server.ts'
import { aiProvider } from './lib/ai-provider.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { Egress, type Resolve } from './lib/egress.ts'
import { limits } from './lib/limits.ts'
import { createLog, type Log } from './lib/log.ts'
import { Sealer } from './lib/seal.ts'
import { newSecretKey } from './lib/secret-key.ts'
import { WakeUps } from './lib/wake-ups.ts'
import { startWorkers } from './workers/index.ts'

export interface Options {
  readonly clock?: Clock
  readonly versions?: readonly VersionChange[]
  readonly log?: Log
  /** What answers for names instead of the system's resolvers. */
  readonly resolve?: Resolve
}

/** Services that can be closed: what they hold in memory is written first. */
export interface OpenServices extends Services {
  close(): Promise<void>
}

/** Opens the database, brings it up to date, and makes what requests and workers share. */
export async function openServices(config: Config, options: Options = {}): Promise<OpenServices> {
  const clock = options.clock ?? systemClock
  const log = options.log ?? createLog(clock, config.logLevel)
  const egress = egressOf(config, options.resolve)
  const sealer = new Sealer(secretKeyOf(config))
  const store = await openStore(config.databaseUrl)
  await migrate(store, clock.now()).catch(async (error) => {
    await store.close()
    throw error
  })
  const credentials = new Credentials(store, sealer)
  const credits = new Credits(store, config.credits)
  const requestLog = new RequestLog(store)
  const feed = new EventFeed(store, log)
  const wakeUps = new WakeUps()
  const uses = setInterval(() => void credentials.writeUses().catch(() => {}), limits.credential_uses_ms)
  uses.unref()
  return {
    clock,
    store,
    sealer,
    credentials,
    credits,
    requestLog,
    feed,
    streams: new OpenStreams(),
    log,
    versions: new Versions(options.versions),
    counts: new TaskCounts(),
    settings: {
      publicUrl: config.publicUrl ?? `http://${config.host}:${config.port}`,
      dataDir: config.dataDir,
      egress: { allowedHosts: config.egressAllowedHosts, allowedCidrs: config.egressAllowedCidrs },
      webhookScheduleSeconds: config.webhookScheduleSeconds,
      ai: {
        provider: config.ai.provider,
        model: config.ai.model,
        budgetMinorPerDay: config.ai.budgetMinorPerDay,
        inputPriceMinor: config.ai.inputPriceMinor,
        outputPriceMinor: config.ai.outputPriceMinor,
      },
    },
    ai: aiProvider(config.ai),
    disabledOperations: new Set(config.disabledOperations),
    inProgress: new Set(),
    egress,
    wakeUps,
    committed(realm) {
      feed.wake(realm)
      wakeUps.call('events')
    },
    async close() {
      clearInterval(uses)
      feed.close()
      await credentials.writeUses().catch(() => {})
      await requestLog.close()
      await credits.close()
      await store.close()
    },
  }
}

function egressOf(config: Config, resolve: Resolve | undefined): Egress {
  const { egressAllowedHosts: allowedHosts, egressAllowedCidrs: allowedCidrs } = config
  try {
    return new Egress({ allowedHosts, allowedCidrs, ...(resolve === undefined ? {} : { resolve }) })
  } catch (error) {
    throw new ConfigError(`ATRIUM_EGRESS_ALLOWED_CIDRS: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The installation's secret key: the one configured, else the one kept in the data directory, made there once. */
export function secretKeyOf(config: Config): Buffer {
  if (config.secretKey !== null) return config.secretKey
  const file = join(config.dataDir, 'secret.key')
  if (!existsSync(file)) {
    const database = sqliteFile(config.databaseUrl)
    // With another key no credential would be known any more, and nothing that is sealed could be opened.
    if (existsSync(database)) {
      throw new ConfigError(`${file} is missing, but ${database} is there: put it back, or set ATRIUM_SECRET_KEY`)
    }
    keepSecretKey(file)
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  if (key.length !== 32) throw new ConfigError(`${file} does not hold 32 bytes in base64 (ATRIUM_SECRET_KEY)`)
  return key
}

/** Makes a key, readable by its owner only; it is on disk before anything depends on it. A key that is there stays. */
function keepSecretKey(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const made = `${file}.${randomUUID()}`
  writeFileSync(made, `${newSecretKey().toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(made, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(made)
  }
  const directory = openSync(dirname(file), 'r')
  fsyncSync(directory)
  closeSync(directory)
}

export interface RunningServer {
  readonly url: string
  readonly services: OpenServices
  /** Stops accepting, finishes what is in flight, writes what is in memory, closes the database. */
  close(): Promise<void>
}

/** Serves the API, and runs the workers unless the configuration says otherwise. */
export async function startServer(config: Config, options: Options = {}): Promise<RunningServer> {
  const services = await openServices(config, options)
  services.store.watch(services.committed)
  const server = createServer(services, catalogue)
  const workers = config.workers ? startWorkers(services) : null
  try {
    await server.listen({ host: config.host, port: config.port })
  } catch (error) {
    await workers?.close()
    await services.close()
    throw error
  }
  const { port } = server.server.address() as AddressInfo
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const url = `http://${host}:${port}`
  if (config.publicUrl === null) services.settings.publicUrl = url
  return {
    url,
    services,
    async close() {
      // A client that does not finish must not keep the rest from being written.
      const cut = setTimeout(() => server.server.closeAllConnections(), limits.shutdown_grace_ms)
      services.streams.end()
      await Promise.all([server.close(), workers?.close()])
      clearTimeout(cut)
      await services.close()
    },
  }
}
