/** `atrium backup --follow`: a process that copies what is committed until a signal ends it. */
import { resolve } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { Follower } from '../db/backup/follow/follower.ts'
import { requireMarker, writeMarker } from '../db/backup/follow/marker.ts'
import { isBusy } from '../db/sqlite/errors.ts'
import { createPrivateFile } from '../db/sqlite/file-modes.ts'
import { LogUnusable } from '../db/sqlite/held-log.ts'
import { takeLock } from '../db/sqlite/processes.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog, type Log } from '../lib/log.ts'
import { day_ms } from '../lib/units.ts'
import { explaining, nameDestination, type OpenedDestination } from './backup-destination.ts'
import { Failure } from './command.ts'
import { databaseFile, requireDatabase } from './database-files.ts'
import { cli_limits } from './limits.ts'
import { explained } from './open.ts'
import { sentence } from './print.ts'

export const postgres_advice =
  "This is for SQLite. On PostgreSQL use the server's own archive: base backups and its write-ahead log, as docs/hosting.md describes."

/** Follows the configured database. Returns after a signal, when what was committed until then is at the destination. */
export async function follow(place: string, keep_days: number): Promise<null> {
  const config = readConfig()
  const file = await databaseFile(config)
  if (file === null) throw new Failure(postgres_advice)
  await requireDatabase(config)
  const lock = onlyFollower(file)
  try {
    const opened = await nameDestination(config, place)
    const log = createLog(systemClock, config.logLevel)
    await explaining(() => begin(opened, log))
    const follower = new Follower({
      ...opened,
      ...{ file, folder: resolve(config.dataDir), keep_ms: keep_days * day_ms, clock: systemClock },
      log,
      contents: await contentsOf(config, opened),
    })
    await explaining(() => follower.run(stopSignal()))
    return null
  } catch (error) {
    if (error instanceof LogUnusable) throw new Failure(sentence(error.message))
    throw explained(config, error)
  } finally {
    lock.close()
  }
}

async function begin({ destination, key }: OpenedDestination, log: Log): Promise<void> {
  if (!(await requireMarker(destination, key))) await writeMarker(destination, key)
  const removed = await destination.removeUnfinished()
  if (removed > 0) log.info('removed what a killed process left of objects', { objects: removed })
}

/** Two followers of one database would keep each other from letting its log start over. */
function onlyFollower(file: string) {
  const path = `${file}-following`
  createPrivateFile(path)
  try {
    return takeLock(path)
  } catch (error) {
    if (!isBusy(error)) throw error
    throw new Failure(`Another 'atrium backup --follow' copies ${file}.`)
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
