/** The process's log: one JSON object per line on standard output. */
import type { Clock } from './clock.ts'

export interface Log {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
}

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
