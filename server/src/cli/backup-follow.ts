/** `atrium backup --follow`: a process that copies what is committed until a signal ends it. */
import { dirname, join, resolve } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import type { Followed, Following, FollowLoop } from '../db/backup/follow/follow-loop.ts'
import { requireMarker, writeMarker } from '../db/backup/follow/marker.ts'
import { readFollowStatus, removeFollowStatus } from '../db/backup/follow/status.ts'
import { isBusy } from '../db/sqlite/errors.ts'
import { createPrivateFile, createPrivateFolder } from '../db/sqlite/file-modes.ts'
import { LogUnusable } from '../db/sqlite/held-log.ts'
import { takeLock } from '../db/sqlite/processes.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog, type Log } from '../lib/log.ts'
import { day_ms } from '../lib/units.ts'
import { explaining, nameDestination, type OpenedDestination } from './backup-destination.ts'
import { Failure, type Outcome } from './command.ts'
import { databaseFile, requireDatabase } from './database-files.ts'
import { cli_limits } from './limits.ts'
import { explained, openedPatiently, requireMigrated } from './open.ts'
import { sentence } from './print.ts'

/** Follows the configured database. Returns after a signal, when what was committed until then is at the destination. */
export async function follow(place: string, keep_days: number): Promise<null> {
  const config = readConfig()
  const file = await databaseFile(config)
  await requireDatabase(config)
  const lock = onlyFollower(file ?? join(resolve(config.dataDir), 'postgres'), file ?? 'this database')
  try {
    const opened = await nameDestination(config, place)
    const log = createLog(systemClock, config.logLevel)
    const following: Following = {
      ...opened,
      ...{ folder: resolve(config.dataDir), keep_ms: keep_days * day_ms, clock: systemClock, log },
      contents: await contentsOf(config, opened),
    }
    if (file === null) await followPostgres(config, opened, following)
    else {
      await explaining(() => begin(opened, log))
      const { SqliteFollower } = await import('../db/backup/follow/sqlite-follower.ts')
      await run(new SqliteFollower({ ...following, file }))
    }
    return null
  } catch (error) {
    if (error instanceof LogUnusable) throw new Failure(sentence(error.message))
    throw explained(config, error)
  } finally {
    lock.close()
  }
}

const run = <C extends Followed, F extends Following>(follower: FollowLoop<C, F>) =>
  explaining(() => follower.run(stopSignal()))

async function followPostgres(config: Config, opened: OpenedDestination, following: Following): Promise<void> {
  const [{ openStore }, { PostgresFollower }, { FollowedServer }] = await Promise.all([
    import('../db/open.ts'),
    import('../db/backup/follow/postgres-follower.ts'),
    import('../db/postgres/replication/server.ts'),
  ])
  const store = await openedPatiently(config, () => openStore(config.databaseUrl, config.databaseUrls))
  try {
    await requireMigrated(store)
    const url = directUrl(config)
    // What cannot be followed is refused before anything is written.
    await FollowedServer.check(url)
    await explaining(() => begin(opened, following.log))
    await run(new PostgresFollower({ ...following, store, url }))
  } finally {
    await store.close()
  }
}

/** `atrium backup --unfollow`: what expects a follower no longer does, and PostgreSQL keeps no log for it. */
export async function unfollow(place: string): Promise<Outcome> {
  const config = readConfig()
  const file = await databaseFile(config)
  const lock = onlyFollower(file ?? join(resolve(config.dataDir), 'postgres'), file ?? 'this database')
  try {
    const { destination } = await nameDestination(config, place)
    const folder = resolve(config.dataDir)
    const followed = readFollowStatus(folder)
    if (followed !== null && followed.destination !== destination.place)
      throw new Failure(`The database is followed to ${followed.destination}, and not to ${destination.place}.`)
    const slot = file === null && (await dropFollowerSlot(config))
    removeFollowStatus(folder)
    const kept = `${destination.place} stays as it is, and can be restored.`
    const text = `The database is no longer followed.${slot ? ' PostgreSQL keeps no log for it.' : ''} ${kept}`
    return { json: { destination: destination.place, slot_dropped: slot }, text }
  } finally {
    lock.close()
  }
}

async function dropFollowerSlot(config: Config): Promise<boolean> {
  const { dropSlot } = await import('../db/postgres/replication/server.ts')
  try {
    return await dropSlot(directUrl(config))
  } catch (error) {
    throw explained(config, error)
  }
}

/** Replication needs a session of its own, which a pooler does not give. */
const directUrl = ({ databaseUrl, databaseUrls }: Config): string => databaseUrls.direct ?? databaseUrl

async function begin({ destination, key }: OpenedDestination, log: Log): Promise<void> {
  if (!(await requireMarker(destination, key))) await writeMarker(destination, key)
  const removed = await destination.removeUnfinished()
  if (removed > 0) log.info('removed what a killed process left of objects', { objects: removed })
}

/** Two followers of one SQLite database would keep each other from letting its log start over; PostgreSQL's slot admits one. */
function onlyFollower(file: string, database: string) {
  const path = `${file}-following`
  createPrivateFolder(dirname(path))
  createPrivateFile(path)
  try {
    return takeLock(path)
  } catch (error) {
    if (!isBusy(error)) throw error
    throw new Failure(`Another 'atrium backup --follow' copies ${database}.`)
  }
}

/** The content of files in the data directory; null if it is in a bucket. */
async function contentsOf(config: Config, { destination, key }: OpenedDestination) {
  if (config.files.bucket !== null) return null
  const [{ ContentCopies }, { contentFolder }, { ContentFolder }, { readPieces }] = await Promise.all([
    import('../db/backup/follow/contents.ts'),
    import('../main.ts'),
    import('../files/folder.ts'),
    import('../files/backup.ts'),
  ])
  const store = new ContentFolder(contentFolder(config))
  return new ContentCopies(destination, key, (name, bytes) => readPieces(store, name, bytes))
}

/** Aborted by the first signal; the process then ends within `shutdown_ms`. A second one ends it at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1)
      stop.abort()
      setTimeout(() => process.exit(1), cli_limits.shutdown_ms).unref()
    })
  }
  return stop.signal
}
