/**
 * A throwaway pgbouncer in transaction mode. The program is the one on the PATH, or comes from Debian's packages, unpacked
 * into a folder of the checkout without installing anything. It never outlives the process that started it.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './postgres.ts'

export interface Pgbouncer {
  /** Leads through it to the same database. */
  readonly url: string
  /** Ends it at once, with all connections. */
  kill(): Promise<void>
  restart(): Promise<void>
}

interface Program {
  readonly path: string
  readonly libraries: string
}

const folder = join(import.meta.dirname, '../../node_modules/.cache/pgbouncer')
const packages = ['pgbouncer', 'libc-ares2', 'libevent-2.1-7']
const start_ms = 20_000

/** The program, or in words why it cannot be had on this machine. */
export function findPgbouncer(): Program | string {
  for (const path of (process.env.PATH ?? '').split(delimiter).map((part) => join(part, 'pgbouncer'))) {
    if (fs.existsSync(path)) return { path, libraries: '' }
  }
  const path = join(folder, 'usr/sbin/pgbouncer')
  try {
    if (!fs.existsSync(path)) unpack()
    const library = fs.globSync('usr/lib/*/libcares.so.2', { cwd: folder })[0]
    if (library === undefined) throw new Error('its package libc-ares2 has no library')
    return { path, libraries: join(folder, library, '..') }
  } catch (error) {
    return `pgbouncer is not installed, and cannot be had from Debian's packages: ${(error as Error).message.trim()}`
  }
}

/** Downloads the packages with the machine's package lists, or with fresh ones if these lack them. */
function unpack(): void {
  const debs = fs.mkdtempSync(join(tmpdir(), 'atrium-debs-'))
  const own = ['-o', `Dir::State::lists=${debs}/lists`, '-o', `Dir::Cache=${debs}/cache`, '-o', 'Debug::NoLocking=1']
  const apt = (...args: string[]) => execFileSync('apt-get', ['-q', ...args], { cwd: debs, stdio: 'pipe' })
  try {
    if (spawnSync('apt-get', ['-q', 'download', ...packages], { cwd: debs }).status !== 0) {
      fs.mkdirSync(join(debs, 'lists/partial'), { recursive: true })
      fs.mkdirSync(join(debs, 'cache/archives/partial'), { recursive: true })
      apt(...own, 'update')
      apt(...own, 'download', ...packages)
    }
    // Another process may do the same: the folder appears whole.
    const whole = `${folder}-${process.pid}`
    for (const deb of fs.globSync('*.deb', { cwd: debs })) execFileSync('dpkg', ['-x', join(debs, deb), whole])
    fs.rmSync(folder, { recursive: true, force: true })
    fs.renameSync(whole, folder)
  } finally {
    fs.rmSync(debs, { recursive: true, force: true })
  }
}

/** Starts it in front of the server that `to` names, with few connections, so that requests share them. */
export async function startPgbouncer(
  program: Program,
  to: string,
  settings = '',
): Promise<Pgbouncer & AsyncDisposable> {
  const port = await freePort()
  const home = fs.mkdtempSync(join(tmpdir(), 'atrium-pgbouncer-'))
  fs.chmodSync(home, 0o755)
  const { hostname, port: target, username, password } = new URL(to)
  const users = join(home, 'users')
  fs.writeFileSync(users, `"${username}" "${password}"\n`)
  const config = join(home, 'pgbouncer.ini')
  fs.writeFileSync(
    config,
    `[databases]
* = host=${hostname} port=${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = 5
max_client_conn = 200
server_login_retry = 0.1
${settings}
`,
  )
  const url = new URL(to)
  url.port = String(port)
  let child: ChildProcess | null = null
  const restart = async () => {
    child = await launch(program, config, url.href)
  }
  const kill = async () => {
    const ending = child
    child = null
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return
    ending.kill('SIGKILL')
    await once(ending, 'exit')
  }
  await restart()
  return {
    ...{ url: url.href, kill, restart },
    async [Symbol.asyncDispose]() {
      await kill()
      fs.rmSync(home, { recursive: true, force: true })
    },
  }
}

async function launch({ path, libraries }: Program, config: string, url: string): Promise<ChildProcess> {
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(path, ['-q', ...user, config], {
    env: { ...process.env, LD_LIBRARY_PATH: libraries },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-2000)
  })
  for (const until = Date.now() + start_ms; Date.now() < until && child.exitCode === null; ) {
    const client = new pg.Client(url)
    try {
      await client.connect()
      await client.end()
      return child
    } catch {
      await sleep(20)
    }
  }
  child.kill('SIGKILL')
  throw new Error(`pgbouncer did not start:\n${said}`)
}
