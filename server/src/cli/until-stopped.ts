/**
 * The life of a process that serves: it runs until a signal, shuts down in order, and exits within ten seconds. A second
 * signal ends it at once.
 */

import type { Log } from '../lib/log.ts'
import { cli_limits } from './limits.ts'

export interface Life {
  /** Waits for the signal, completes work in progress with `close`, and ends the process. */
  untilStopped(log: Log, close: () => Promise<void>): Promise<never>
}

/** Handles signals from now on. During the start nothing is in progress, and a signal ends the process. */
export function beginLife(): Life {
  let stop = (_signal: NodeJS.Signals): void => process.exit(0)
  onSignals((signal) => stop(signal))
  return {
    async untilStopped(log, close) {
      process.on('uncaughtException', (error) => {
        log.error('the process failed', { error: error.stack ?? String(error) })
        process.exit(1)
      })
      const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
      stop = resolve
      // Without HTTP, nothing else keeps the process running.
      setInterval(() => {}, 2 ** 30)
      const signal = await promise
      log.info('stopping', { signal })
      process.exit(await end(log, close))
    },
  }
}

async function end(log: Log, close: () => Promise<void>): Promise<number> {
  const late = setTimeout(() => {
    log.error('not everything ended in time')
    process.exit(1)
  }, cli_limits.shutdown_ms)
  try {
    await close()
    log.info('stopped')
    return 0
  } catch (error) {
    log.error('the process did not end in order', { error: String(error) })
    return 1
  } finally {
    clearTimeout(late)
  }
}

/** Under `npm start` one Ctrl-C arrives twice: from the terminal, and passed on by npm. */
const keystroke_ms = 500

function onSignals(first: (signal: NodeJS.Signals) => void): void {
  let heard: { readonly signal: NodeJS.Signals; readonly at: number } | null = null
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (heard === null) {
        heard = { signal, at: performance.now() }
        first(signal)
        return
      }
      const echo = signal === 'SIGINT' && heard.signal === signal && performance.now() - heard.at < keystroke_ms
      if (!echo) process.exit(1)
    })
  }
}
