import { statfs } from 'node:fs/promises'
import { inspect } from '../../db/backup/inspect.ts'
import { databaseSize, waitingWork } from '../../db/engine/storage.ts'
import { seconds } from '../../lib/clock.ts'
import { programVersion } from '../../lib/program-version.ts'
import { endpoint } from '../endpoint.ts'
import type { OperatorReport } from '../shapes.ts'

/** The state of the installation: this process, the database, the disk, the workers and the queues. */
export const retrieveOperatorReport = endpoint('GET operator', {
  needs: 'session',
  operator: true,
  async handle({ services, now }) {
    const { store, settings, streams, requestLog } = services
    const { workerStatus } = await import('../../workers/status.ts')
    const reader = store.reader('system')
    const { user, system } = process.cpuUsage()
    const inspection = await inspect(store)
    const report: OperatorReport = {
      at: seconds(now),
      program: {
        version: programVersion(),
        node: process.versions.node,
        started_at: Math.floor(performance.timeOrigin / 1000),
      },
      process: {
        resident_bytes: process.memoryUsage.rss(),
        cpu_seconds: Math.round((user + system) / 1e6),
        open_streams: streams.size,
        lost_log_entries: requestLog.lost,
      },
      database: {
        engine: inspection.engine,
        version: inspection.version,
        settings: inspection.settings,
        organizations: inspection.organizations,
        pending_migrations: inspection.pendingMigrations,
        ...(await databaseSize(reader)),
      },
      disk: await readDisk(settings.dataDir),
      workers: await workerStatus(reader, now),
      queues: (await waitingWork(reader)).map(({ name, waiting, oldest }) => ({
        name,
        waiting,
        oldest_at: oldest === null ? null : seconds(oldest),
      })),
    }
    return report
  },
})

async function readDisk(path: string): Promise<OperatorReport['disk']> {
  try {
    const { bavail, blocks, bsize } = await statfs(path)
    return { path, free_bytes: bavail * bsize, size_bytes: blocks * bsize }
  } catch {
    return null
  }
}
