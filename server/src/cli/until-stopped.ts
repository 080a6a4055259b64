/**
 * The life of a process that serves: it runs until a signal, ends in order, and is gone within ten seconds. A second
 * signal ends it at once.
 */
import type { Log } from '../api/services.ts'
import { limits } from '../lib/limits.ts'

/** Ends the process: never returns. `close` finishes what is in flight and commits it. */
export async function untilStopped(log: Log, close: () => Promise<void>): Promise<never> {
  // Without HTTP nothing else holds the process.
  const held = setInterval(() => {}, 2 ** 30)
  process.on('uncaughtException', (error) => {
    log.error('the process failed', { error: error.stack ?? String(error) })
    process.exit(1)
  })
  const signal = await new Promise<NodeJS.Signals>((resolve) => onSignals(resolve))
  log.info('stopping', { signal })
  setTimeout(() => {
    log.error('not everything ended in time')
    process.exit(1)
  }, limits.shutdown_ms).unref()
  try {
    await close()
  } catch (error) {
    log.error('the process did not end in order', { error: String(error) })
    process.exit(1)
  }
  clearInterval(held)
  log.info('stopped')
  process.exit(0)
}

function onSignals(first: (signal: NodeJS.Signals) => void): void {
  let stopping: { readonly signal: NodeJS.Signals; readonly at: number } | null = null
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping === null) {
        stopping = { signal, at: performance.now() }
        first(signal)
        return
      }
      // Under `npm start` one Ctrl-C arrives twice: from the terminal and passed on by npm.
      const sameKeystroke = signal === 'SIGINT' && stopping.signal === signal && performance.now() - stopping.at < 500
      if (!sameKeystroke) process.exit(1)
    })
  }
}
