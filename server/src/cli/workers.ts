import { command } from './command.ts'
import { requireMigrated, withStore } from './open.ts'
import { table, time } from './print.ts'

/** Shows when each worker ran last, what it did, and how far it lags behind. */
export const workers = command({
  name: 'workers',
  group: 'Keeping watch',
  summary: 'Show the status of each worker',
  examples: ['atrium workers', 'atrium workers --json'],
  async run() {
    const { workerStatus } = await import('../workers/status.ts')
    const { systemClock } = await import('../lib/clock.ts')
    const all = await withStore(async (store) => {
      await requireMigrated(store)
      return await workerStatus(store.reader('system'), systemClock.now())
    })
    const rows = all.map((worker) => [
      worker.name,
      worker.state,
      worker.last_ended_at === null ? '-' : time(worker.last_ended_at),
      String(worker.done),
      String(worker.failed),
      worker.lag_seconds === null ? '-' : `${worker.lag_seconds} s`,
      worker.last_error ?? worker.does,
    ])
    const head = ['WORKER', 'STATE', 'LAST RUN', 'DONE', 'FAILED', 'LAG', 'DOES, OR ITS LAST ERROR']
    return { json: { workers: all }, text: table([head, ...rows]) }
  },
})
