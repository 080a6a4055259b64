import { command } from './command.ts'
import { openedPatiently, readServingConfig } from './open.ts'

/** Runs the workers without HTTP until a signal: beside servers that were told ATRIUM_WORKERS=false. */
export const worker = command({
  name: 'worker',
  group: 'Running',
  summary: 'Run the workers without HTTP',
  details: 'Several may run over one database: each worker is run by one process at a time.',
  examples: ['atrium worker', 'ATRIUM_WORKERS=false atrium serve   # the servers beside it'],
  async run() {
    const config = await readServingConfig()
    const { openServices } = await import('../main.ts')
    const services = await openedPatiently(config, () => openServices(config))
    const { startWorkers, workers } = await import('../workers/index.ts')
    const { warnOfEgress } = await import('./announce.ts')
    warnOfEgress(services.log, config)
    const running = startWorkers(services)
    services.log.info('working', { workers: workers.map(({ name }) => name) })
    const { untilStopped } = await import('./until-stopped.ts')
    return await untilStopped(services.log, async () => {
      await running.close()
      await services.close()
    })
  },
})
