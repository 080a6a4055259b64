/** Opens and closes connections to PostgreSQL. No connection is used before its role and settings are set. */
import pg from 'pg'
import { db_limits } from '../limits.ts'
import { app_role } from '../row-security.ts'
import { takeRows } from './statement.ts'

/**
 * The server limits the time of statements and locks. `query_timeout` covers a server that no longer answers: it ends
 * the connection, where TCP would wait for a quarter of an hour.
 */
export function clientConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'atrium',
    connectionTimeoutMillis: db_limits.database_wait_ms,
    statement_timeout: db_limits.statement_ms,
    query_timeout: db_limits.statement_ms + db_limits.database_wait_ms,
    lock_timeout: db_limits.database_wait_ms,
    idle_in_transaction_session_timeout: db_limits.statement_ms,
    keepAlive: true,
    keepAliveInitialDelayMillis: db_limits.database_probe_ms,
    pipeline: true,
  }
}

/** The code that waits on a connection gets its errors; an `error` event without listener would end the process. */
function ignore(): void {}

/**
 * Switches to the plain role if the login role bypasses row-level security, and refuses commits that are not on disk.
 */
export async function prepareClient(client: pg.ClientBase, bypassesRowSecurity: boolean): Promise<void> {
  client.on('error', ignore)
  takeRows(client)
  const role = bypassesRowSecurity ? `set role ${app_role};` : ''
  await client.query(
    `${role} select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
  )
}

/** A connection outside any pool. */
export async function openClient(config: pg.ClientConfig, bypassesRowSecurity: boolean): Promise<pg.Client> {
  const client = new pg.Client(config)
  client.on('error', ignore)
  try {
    await client.connect()
    await prepareClient(client, bypassesRowSecurity)
    return client
  } catch (error) {
    closeClient(client).catch(ignore)
    throw error
  }
}

/** Ends the connection; does not wait for a server that does not answer. */
export async function closeClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => {
    // `pg` does not type its socket, the only thing that ends a connection without an answer.
    ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
  }, db_limits.database_wait_ms)
  timer.unref()
  try {
    await client.end()
  } finally {
    clearTimeout(timer)
  }
}

interface Corkable {
  readonly connection: { readonly stream: { cork(): void; uncork(): void } }
}

const corked = new WeakSet<pg.ClientBase>()

/**
 * Buffers what is sent on a connection until the running code can only wait, so that it leaves in one piece: every
 * piece costs a system call here and wakes the server.
 */
export function cork(client: pg.ClientBase): void {
  if (corked.has(client)) return
  corked.add(client)
  // `pg` does not type its socket.
  const { stream } = (client as unknown as Corkable).connection
  stream.cork()
  process.nextTick(() => {
    corked.delete(client)
    stream.uncork()
  })
}
