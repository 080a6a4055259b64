/** The process's log: one JSON object a line on standard output. */
import type { Log } from './api/services.ts'
import type { Clock } from './lib/clock.ts'

const levels = ['debug', 'info', 'warn', 'error'] as const

export function createLog(clock: Clock, level: (typeof levels)[number]): Log {
  const from = levels.indexOf(level)
  const at = (name: (typeof levels)[number]) => (msg: string, fields?: object) => {
    if (levels.indexOf(name) < from) return
    process.stdout.write(
      `${JSON.stringify({ level: name, time: new Date(clock.now()).toISOString(), msg, ...fields })}\n`,
    )
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
