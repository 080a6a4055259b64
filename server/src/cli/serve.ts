import { type Config, ConfigError } from '../config.ts'
import type { Interrupted } from '../demo/interrupted.ts'
import type { OpenServices, RunningServer } from '../main.ts'
import { announce, warnOfEgress, warnOfPath } from './announce.ts'
import { command, Failure } from './command.ts'
import type { OpenedDatabase } from './database-files.ts'
import { codeOf, created, readServingConfig, tellWaiting } from './open.ts'
import { placeText } from './print.ts'
import { publishAddress, withdrawAddress } from './server-address.ts'
import { beginLife } from './until-stopped.ts'

/** Serves the API and runs the workers until a signal. Creates a demo organization in an empty database. */
export const serve = command({
  name: 'serve',
  group: 'Running',
  summary: 'Serve the API, the workers and the web console',
  details:
    'Logs are JSON lines on standard output; {"msg":"listening","url":"http://…"} means that it is ready.\n' +
    'In an empty database it creates a demo organization and prints its key and a sign-in link, once, on standard error.\n' +
    'Until a person has signed in, each start prints the command that creates a sign-in link.\n' +
    'SIGTERM or Ctrl-C: finishes requests in progress and ends within 10 s; a second signal ends it at once.',
  examples: ['atrium serve', 'ATRIUM_PORT=8080 ATRIUM_DATA_DIR=/var/lib/atrium atrium serve'],
  async run() {
    const life = beginLife()
    const config = await readServingConfig()
    const [{ startServer }, { hasOrganization }] = await Promise.all([
      import('../main.ts'),
      import('../resources/organizations/found.ts'),
    ])
    let interrupted = null as Interrupted | null
    const prepare = async (services: OpenServices) => {
      interrupted = await takeOver(services, config)
    }
    const start = () => startServer(config, { prepare }).catch((error) => refuseAddress(config, error))
    const { opened: server, place } = await created(config, start, tellWaiting)
    const { log } = server.services
    warnOfEgress(log, config)
    warnOfPath(log, config)
    if (interrupted !== null) await completeInterrupted(server, interrupted)
    if (await hasOrganization(server.services)) await printFirstSignIn(server, place)
    else await makeDemo(server, place)
    publishAddress(config, server.services.settings.publicUrl)
    announce('listening', { url: server.url, ...place })
    return await life.untilStopped(log, () => {
      withdrawAddress(config)
      return server.close()
    })
  },
})

/** Loads the demo's code only if it is needed. */
async function makeDemo({ services, url }: RunningServer, place: OpenedDatabase): Promise<void> {
  const { foundDemo, demoText } = await import('./founding.ts')
  const demo = await foundDemo(services, (access) => process.stderr.write(demoText(access, url, place)))
  if (demo === null) return // another process created it first
  const { organization, user, api_key } = demo
  const { secret: _, ...key } = api_key
  const made = { organization, user, api_key: key }
  services.log.info('created the demo organization; standard error has its key and set-up link, once', made)
}

/** Takes over what killed processes left: unfinished backups in the data folder, and a demo (null if none was interrupted). */
async function takeOver(services: OpenServices, config: Config): Promise<Interrupted | null> {
  const { takeOverDemo } = await import('../demo/interrupted.ts')
  const { removeUnfinished } = await import('../db/backup/backup.ts')
  const removed = await removeUnfinished(services.store, config.dataDir, services.sealer.fingerprint)
  if (removed.length > 0) services.log.info('removed unfinished backups', { files: removed })
  return await takeOverDemo(services)
}

async function completeInterrupted({ services, url }: RunningServer, interrupted: Interrupted): Promise<void> {
  const { completeDemo, interruptedText } = await import('./founding.ts')
  process.stderr.write(interruptedText(interrupted, url))
  await completeDemo(services, interrupted)
  const { organization } = interrupted.founded
  const done = interrupted.cleared ? 'completed the demo organization' : 'left the demo organization incomplete'
  services.log.info(done, { organization })
}

async function printFirstSignIn({ services }: RunningServer, place: OpenedDatabase): Promise<void> {
  const { firstSignInText } = await import('./first-sign-in.ts')
  const text = await firstSignInText(services.store)
  if (text !== null) process.stderr.write(`${placeText(place)}\n${text}`)
}

function refuseAddress(config: Config, error: unknown): never {
  const code = codeOf(error)
  const at = `${config.host}:${config.port}`
  if (code === 'EADDRINUSE') throw new Failure(`${at} is in use. Set ATRIUM_PORT to another port; 0 picks a free one.`)
  if (code === 'EACCES' && (error as { syscall?: string }).syscall === 'listen') {
    throw new Failure(`This account may not listen on ${at}. Set ATRIUM_PORT to another port.`)
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    throw new ConfigError(`ATRIUM_HOST cannot be "${config.host}": it is not an address of this machine.`)
  }
  throw error
}
