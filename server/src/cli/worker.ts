import { announce, warnOfEgress, warnOfPath } from './announce.ts'
import { command } from './command.ts'
import { created, readServingConfig, tellWaiting } from './open.ts'
import { beginLife } from './until-stopped.ts'

/** Runs the workers without HTTP until a signal: beside servers with ATRIUM_WORKERS=false. */
export const worker = command({
  name: 'worker',
  group: 'Running',
  summary: 'Run the workers without HTTP',
  details: 'Several processes may share a database: each worker runs in one process at a time.',
  examples: ['atrium worker', 'ATRIUM_WORKERS=false atrium serve   # the servers beside it'],
  async run() {
    const life = beginLife()
    const config = await readServingConfig()
    const { openServices } = await import('../main.ts')
    const { opened: services, place } = await created(config, () => openServices(config), tellWaiting)
    const { startWorkers, workers } = await import('../workers/index.ts')
    warnOfEgress(services.log, config)
    warnOfPath(services.log, config)
    services.store.watch(services.committed)
    const running = startWorkers(services)
    announce('working', { workers: workers.map(({ name }) => name), ...place })
    return await life.untilStopped(services.log, async () => {
      await running.close()
      await services.close()
    })
  },
})
