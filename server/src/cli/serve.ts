import { type Config, ConfigError } from '../config.ts'
import type { RunningServer } from '../main.ts'
import { announce, warnOfEgress } from './announce.ts'
import { command, Failure } from './command.ts'
import { codeOf, openedPatiently, readServingConfig, tellWaiting } from './open.ts'
import { beginLife } from './until-stopped.ts'

/** Serves the API and runs the workers until a signal. An empty database gets a demo organization and says so. */
export const serve = command({
  name: 'serve',
  group: 'Running',
  summary: 'Serve the API, the workers and the web console',
  details:
    'Logs are JSON lines on standard output; {"msg":"listening","url":"http://…"} says that it is ready.\n' +
    'On an empty database it makes a demo organization and prints a link to sign in with and its key once, on standard error.\n' +
    'SIGTERM or Ctrl-C: finishes what is in flight and ends within 10 s; a second one ends it at once.',
  examples: ['atrium serve', 'ATRIUM_PORT=8080 ATRIUM_DATA_DIR=/var/lib/atrium atrium serve'],
  async run() {
    const life = beginLife()
    const config = await readServingConfig()
    const [{ startServer }, { hasOrganization }] = await Promise.all([
      import('../main.ts'),
      import('../resources/organizations/found.ts'),
    ])
    const start = () => startServer(config).catch((error) => refuseAddress(config, error))
    const server = await openedPatiently(config, start, tellWaiting)
    const { log } = server.services
    warnOfEgress(log, config)
    if (!(await hasOrganization(server.services))) await makeDemo(server)
    announce('listening', { url: server.url })
    return await life.untilStopped(log, () => server.close())
  },
})

/** The demo and its story are loaded only where they are needed. */
async function makeDemo({ services, url }: RunningServer): Promise<void> {
  const { foundDemo, demoText } = await import('./founding.ts')
  const demo = await foundDemo(services)
  if (demo === null) return // another process was faster
  const { organization, user, api_key } = demo
  const { secret: _, ...key } = api_key
  process.stderr.write(demoText(demo, url))
  const made = { organization, user, api_key: key }
  services.log.info('made the demo organization; its key and set-up link are on standard error, once', made)
}

function refuseAddress(config: Config, error: unknown): never {
  const code = codeOf(error)
  const at = `${config.host}:${config.port}`
  if (code === 'EADDRINUSE') throw new Failure(`${at} is taken: ATRIUM_PORT names another port, 0 any that is free`)
  if (code === 'EACCES' && (error as { syscall?: string }).syscall === 'listen') {
    throw new Failure(`${at} may not be listened on by this user: ATRIUM_PORT names another port`)
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    throw new ConfigError(`ATRIUM_HOST is no address of this machine: ${config.host}`)
  }
  throw error
}
