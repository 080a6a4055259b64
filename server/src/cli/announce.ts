/** The log lines of a process that starts to serve. */

import type { Config } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

/** Written at every log level: supervisors and programs wait for it. */
export function announce(msg: string, fields: object = {}): void {
  const line = { level: 'info', time: new Date(systemClock.now()).toISOString(), msg, ...fields }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** Exceptions to "public HTTPS only" are never silent. */
export function warnOfEgress(log: Log, config: Config): void {
  const { egressAllowedHosts: hosts, egressAllowedCidrs: cidrs } = config
  if (hosts.length + cidrs.length > 0)
    log.warn('outgoing requests may reach targets that are not public', { hosts, cidrs })
}
