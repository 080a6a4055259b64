/**
 * Runs a server over restored files until it has replayed its log: on a private socket, without the settings of the cluster, so
 * that it neither listens, nor archives, nor loads what the cluster loads. It ends with this process.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { folder_mode } from '../../../lib/private-path.ts'
import { db_limits } from '../../limits.ts'
import { readPosition } from '../replication/positions.ts'
import { type Account, giveAll } from './account.ts'

/** The server did not start, or did not replay its log; the message has the end of what it wrote. */
export class NotRecovered extends Error {}

export interface Recovery {
  /** The folder with the files. */
  readonly folder: string
  /** The program. */
  readonly program: string
  readonly account: Account | null
  readonly database: string
  readonly role: string
  /** Whether files shall be on the disk at the end. */
  readonly durable: boolean
}

const settings = {
  listen_addresses: '',
  port: 5432,
  // The log is in the folder already.
  restore_command: 'false',
  recovery_target_timeline: 'current',
  recovery_target: '',
  recovery_target_lsn: '',
  recovery_target_name: '',
  recovery_target_time: '',
  recovery_target_xid: '',
  hot_standby: 'off',
  archive_mode: 'off',
  synchronous_standby_names: '',
  shared_preload_libraries: '',
  session_preload_libraries: '',
  local_preload_libraries: '',
  ssl: 'off',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_timezone: 'UTC',
  // Its messages are shown, and searched.
  lc_messages: 'C',
  autovacuum: 'off',
  huge_pages: 'off',
  max_wal_senders: 0,
  max_prepared_transactions: 100,
  default_transaction_read_only: 'off',
}

/** Recovers, runs `use` with the URL of the database, and shuts the server down. Rejects with NotRecovered. */
export async function withRecovered<T>(
  recovery: Recovery,
  use: (url: string, replayed: number) => Promise<T>,
): Promise<T> {
  const { folder, database, role, account } = recovery
  const place = mkdtempSync(join(tmpdir(), 'atrium-recovery-'))
  chmodSync(place, folder_mode)
  let server: ChildProcess | null = null
  try {
    writeFileSync(join(folder, 'recovery.signal'), '')
    giveAll(folder, account)
    server = start(recovery, place)
    const url = `postgres://${encodeURIComponent(role)}@/${encodeURIComponent(database)}?host=${encodeURIComponent(place)}`
    await recovered(server, url, place)
    const result = await use(url, replayedIn(folder))
    await stop(server)
    return result
  } finally {
    await stop(server)
    rmSync(place, { recursive: true, force: true })
  }
}

function start({ folder, program, account, durable }: Recovery, place: string): ChildProcess {
  const files = { config_file: '', hba_file: 'local all all trust\n', ident_file: '' }
  const named = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(place, name), text)
    return [name, join(place, name)] as const
  })
  giveAll(place, account)
  const given = { ...settings, ...Object.fromEntries(named), unix_socket_directories: place }
  const all = { ...given, fsync: durable ? 'on' : 'off' }
  const output = openSync(join(place, 'log'), 'w')
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // The environment of this process has secrets, and the other account could read them.
  const env = { PATH: '/usr/bin:/bin' }
  const options = { ...account, cwd: place, env, detached: true } as const
  const server = spawn(program, ['-D', folder, ...flags], { ...options, stdio: ['ignore', output, output] })
  closeSync(output)
  server.on('error', () => {})
  if (server.pid !== undefined) leash(server)
  return server
}

/** A shell that ends the server when this process ends, however it ends: it reads a pipe that closes then. */
function leash(server: ChildProcess): void {
  const holder = spawn('/bin/sh', ['-c', 'cat; kill -QUIT "$0"', String(server.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  server.once('exit', () => holder.kill('SIGKILL'))
  holder.unref()
  // The type of a pipe leaves out that it is a socket.
  ;(holder.stdin as unknown as { unref(): void }).unref()
}

const hasEnded = (server: ChildProcess) =>
  server.exitCode !== null || server.signalCode !== null || server.pid === undefined

/** A server that recovers without `hot_standby` refuses connections until it is done. */
async function recovered(server: ChildProcess, url: string, place: string): Promise<void> {
  for (const until = performance.now() + db_limits.recovery_wait_ms; ; ) {
    if (hasEnded(server)) throw new NotRecovered(`PostgreSQL did not recover the files: ${lastLines(place)}`)
    if (performance.now() > until) throw new NotRecovered(`PostgreSQL has not recovered in time: ${lastLines(place)}`)
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: db_limits.database_wait_ms })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      client.end().catch(() => {})
      const { code } = error as { code?: string }
      const isStarting = code === '57P03' || code === 'ENOENT' || code === 'ECONNREFUSED'
      if (!isStarting && !hasEnded(server))
        throw new NotRecovered(`the recovered database cannot be opened: ${(error as Error).message}`)
    }
    await sleep(db_limits.recovery_pause_ms)
  }
}

const shown_lines = 3

function lastLines(place: string): string {
  const lines = readFileSync(join(place, 'log'), 'utf8').trim().split('\n')
  const told = lines.filter((line) => /(FATAL|PANIC|ERROR):/.test(line))
  return (told.length === 0 ? lines : told).slice(-shown_lines).join(' ')
}

/** Up to where the log was replayed: the new timeline begins there. */
function replayedIn(folder: string): number {
  const names = readdirSync(join(folder, 'pg_wal')).filter((name) => /^[0-9A-F]{8}\.history$/.test(name))
  const newest = names.sort().at(-1)
  const lines =
    newest === undefined
      ? []
      : readFileSync(join(folder, 'pg_wal', newest), 'utf8')
          .trim()
          .split('\n')
  const [, position] = (lines.at(-1) ?? '').split('\t')
  if (position === undefined) throw new NotRecovered('PostgreSQL began no new timeline')
  return readPosition(position)
}

/** The shutdown called fast; a server that does not end is killed. */
async function stop(server: ChildProcess | null): Promise<void> {
  if (server === null || hasEnded(server)) return
  const ended = once(server, 'exit')
  server.kill('SIGINT')
  const timer = setTimeout(() => server.kill('SIGKILL'), db_limits.recovery_stop_ms)
  await ended
  clearTimeout(timer)
}
