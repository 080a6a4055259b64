/**
 * The composition root: configuration → database → services → workers → HTTP, closed in reverse order. No other module
 * creates these parts or knows all of them.
 */
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { Credits } from './api/credits/charge.ts'
import { type VersionChange, Versions } from './api/declare/version.ts'
import { limits } from './api/limits.ts'
import { Credentials } from './api/request/authenticate.ts'
import { TaskCounts } from './api/request/task-counts.ts'
import { RequestLog } from './api/request-log/request-log.ts'
import type { Services, Settings } from './api/services.ts'
import { EventFeed } from './api/stream/feed.ts'
import { OpenStreams } from './api/stream/open-streams.ts'
import { catalogue } from './catalogue.ts'
import { type Config, ConfigError } from './config.ts'
import { type UpgradeBackups, upgrade, upgrades_folder } from './db/backup/upgrade.ts'
import { migrations } from './db/migrate.ts'
import { openStore } from './db/open.ts'
import type { Store } from './db/store.ts'
import { aiProvider } from './egress/ai-provider.ts'
import { Egress, type Resolve } from './egress/egress.ts'
import { OpenIdProvider } from './egress/openid-provider.ts'
import { readPieces } from './files/backup.ts'
import { ContentBucket } from './files/bucket.ts'
import { Files } from './files/files.ts'
import { ContentFolder } from './files/folder.ts'
import { Uploads } from './files/upload.ts'
import { createServer } from './http/server.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { createLog, type Log } from './lib/log.ts'
import { Sealer } from './lib/seal.ts'
import { WakeUps } from './lib/wake-ups.ts'
import type { Receiver } from './mail/receiver.ts'
import { type Mailer, smtpMailer } from './mail/smtp.ts'
import { requireKeyOf, sealerOf, secretKeyOf } from './secret-key.ts'
import { startWorkers } from './workers/index.ts'
import { worker_limits } from './workers/limits.ts'
import { receiveReplies } from './workers/replies/receive.ts'

export interface Options {
  readonly clock?: Clock
  readonly versions?: readonly VersionChange[]
  readonly log?: Log
  /** Replaces the system's resolvers. */
  readonly resolve?: Resolve
  /** Runs before workers and requests use the services. */
  readonly prepare?: (services: OpenServices) => Promise<void>
}

/** Services that can be closed. Closing writes what they hold in memory first. */
export interface OpenServices extends Services {
  close(): Promise<void>
}

/** Opens the database, migrates it, and creates what requests and workers share. */
export async function openServices(config: Config, options: Options = {}): Promise<OpenServices> {
  const clock = options.clock ?? systemClock
  const log = options.log ?? createLog(clock, config.logLevel)
  const egress = egressOf(config, options.resolve)
  secretKeyOf(config)
  const store = await openStore(config.databaseUrl, config.databaseUrls)
  for (const { level, message, details } of store.findings) log[level](message, details)
  const sealer = await prepare(store, config, { clock, log }).catch(async (error) => {
    await store.close()
    throw error
  })
  const credentials = new Credentials(store, sealer)
  const credits = new Credits(store, config.credits)
  const requestLog = new RequestLog(store)
  const feed = new EventFeed(store, log, clock)
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
    settings: settingsOf(config),
    mailer: mailerOf(config),
    ai: aiProvider(config.ai),
    openid: openIdProviders(config, options.resolve),
    disabledOperations: new Set(config.disabledOperations),
    inProgress: new Set(),
    egress,
    files: openFiles(config, store),
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

/** Checks the database, brings it up to date, and returns the sealer of its secret key. */
async function prepare(store: Store, config: Config, { clock, log }: { clock: Clock; log: Log }): Promise<Sealer> {
  for (const { level, message, details } of await store.check()) log[level](message, details)
  // A rotation of the secret key sees this process before the process sees the key.
  store.processes.own()
  const key = await requireKeyOf(config, store)
  const begin = (file: string) => log.info('backing up before the upgrade', { file })
  const { applied, backup } = await upgrade(store, clock.now(), upgradeBackups(config, store, key, begin))
  const isNew = applied.length === migrations.length
  if (applied.length > 0 && !isNew) log.info('upgraded the database', { migrations: applied, backup })
  return await sealerOf(config, store, key)
}

/** Where and how an upgrade backs up first; null if the operator does not want that. */
export function upgradeBackups(
  config: Config,
  store: Store,
  key: Buffer,
  begin?: UpgradeBackups['begin'],
): UpgradeBackups | null {
  if (!config.upgradeBackup) return null
  const { store: content } = openFiles(config, store)
  return {
    folder: resolve(config.dataDir, upgrades_folder),
    secret_key: new Sealer(key).fingerprint,
    contents: content.isLocal ? (name, bytes) => readPieces(content, name, bytes) : null,
    ...(begin === undefined ? {} : { begin }),
  }
}

/** Null if the operator has named no SMTP server. */
export function mailerOf({ mail }: Pick<Config, 'mail'>): Mailer | null {
  return mail === null ? null : smtpMailer(mail.url, mail.from)
}

function listenerUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function settingsOf(config: Config): Settings {
  const { provider, model, budgetMinorPerDay, inputPriceMinor, outputPriceMinor } = config.ai
  return {
    publicUrl: config.publicUrl ?? listenerUrl(config.host, config.port),
    dataDir: config.dataDir,
    replyDomain: config.inboundMail?.domain ?? null,
    push: config.push,
    trustedProxies: config.trustedProxies,
    egress: { allowedHosts: config.egressAllowedHosts, allowedCidrs: config.egressAllowedCidrs },
    webhookScheduleSeconds: config.webhookScheduleSeconds,
    ai: { provider, model, budgetMinorPerDay, inputPriceMinor, outputPriceMinor },
  }
}

/** The content of files, in a bucket or in the data directory. Uploads arrive in the data directory. */
export function openFiles({ dataDir, files }: Config, store: Store): Files {
  return new Files(
    { bytes_max: files.bytesMax, organization_bytes_max: files.organizationBytesMax },
    files.bucket === null ? new ContentFolder(contentFolder({ dataDir })) : new ContentBucket(files.bucket),
    new Uploads(resolve(dataDir, 'files/incoming'), () => store.processes.own()),
  )
}

/** Where the content of files is kept without a bucket. */
export function contentFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
  return resolve(dataDir, 'files/content')
}

function egressOf(config: Config, resolve: Resolve | undefined): Egress {
  const { egressAllowedHosts: allowedHosts, egressAllowedCidrs: allowedCidrs } = config
  try {
    return new Egress({ allowedHosts, allowedCidrs, ...(resolve === undefined ? {} : { resolve }) })
  } catch (error) {
    throw new ConfigError(`ATRIUM_EGRESS_ALLOWED_CIDRS: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The OpenID providers. The operator names their issuers, which may be at any address. */
function openIdProviders(config: Config, resolve: Resolve | undefined): ReadonlyMap<string, OpenIdProvider> {
  return new Map(
    config.openid.map((settings) => {
      const host = new URL(settings.issuer).hostname.replace(/^\[(.*)\]$/, '$1')
      const egressAllowedHosts = [...config.egressAllowedHosts, host]
      return [settings.id, new OpenIdProvider(settings, egressOf({ ...config, egressAllowedHosts }, resolve))]
    }),
  )
}

export interface RunningServer {
  readonly url: string
  readonly services: OpenServices
  /** Stops accepting, finishes what is in flight, writes what is in memory, closes the database. */
  close(): Promise<void>
}

/** Serves the API, and runs the workers unless disabled by the configuration. */
export async function startServer(config: Config, options: Options = {}): Promise<RunningServer> {
  const services = await openServices(config, options)
  try {
    await options.prepare?.(services)
  } catch (error) {
    await services.close()
    throw error
  }
  services.store.watch(services.committed)
  const server = createServer(services, catalogue)
  const workers = config.workers ? startWorkers(services) : null
  try {
    await server.listen(config.host, config.port)
  } catch (error) {
    await workers?.close()
    await services.close()
    throw error
  }
  const replies = await startReplies(config, services).catch(async (error) => {
    await Promise.all([server.close(), workers?.close()])
    await services.close()
    throw error
  })
  const { port } = server.server.address() as AddressInfo
  const url = listenerUrl(config.host, port)
  if (config.publicUrl === null) services.settings.publicUrl = url
  return {
    url,
    services,
    async close() {
      // A client that does not finish must not prevent the rest from being written.
      const cut = setTimeout(() => server.server.closeAllConnections(), worker_limits.shutdown_grace_ms)
      services.streams.end()
      await Promise.all([server.close(), replies?.close(), workers?.close()])
      clearTimeout(cut)
      await services.close()
    },
  }
}

/** Receives replies where the workers run, if the operator wants that. */
async function startReplies({ workers, inboundMail }: Config, services: Services): Promise<Receiver | null> {
  if (inboundMail === null || !workers) return null
  const { host, port } = inboundMail
  try {
    return await receiveReplies(services, host, port)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`ATRIUM_INBOUND_MAIL: ${host}:${port} cannot be listened on: ${why}`)
  }
}
