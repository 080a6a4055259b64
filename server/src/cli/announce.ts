/** The log lines of a process that starts to serve. */

import type { Config } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

/** Written at every log level: supervisors and programs wait for it. */
export function announce(msg: string, fields: object = {}): void {
  const line = { level: 'info', time: new Date(systemClock.now()).toISOString(), msg, ...fields }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** The console's pages name their files from the root of the host, and so do links in mails. */
export function warnOfPath(log: Log, { publicUrl }: Config): void {
  if (publicUrl === null || new URL(publicUrl).pathname === '/') return
  const message = 'ATRIUM_PUBLIC_URL has a path: the console does not load there, and links in mails lead nowhere'
  log.warn(message, { url: publicUrl, use: new URL(publicUrl).origin })
}

/** Exceptions to "public HTTPS only" are never silent. */
export function warnOfEgress(log: Log, config: Config): void {
  const { egressAllowedHosts: hosts, egressAllowedCidrs: cidrs } = config
  if (hosts.length + cidrs.length > 0)
    log.warn('outgoing requests may reach targets that are not public', { hosts, cidrs })
}
