/**
 * Opens and closes connections to PostgreSQL. No connection is used before its role and settings are set. Through a
 * connection pooler a session lasts for one transaction, so each transaction begins with its role and settings, and no
 * statement is prepared.
 */
import pg from 'pg'
import { db_limits } from '../limits.ts'
import { app_role, scopeSettings, settingStatements, type Visible } from './row-security.ts'
import { type Bound, boundPrepared, prepareNothing, takeRows } from './statement.ts'

/** Where connections lead, and what they need. */
export interface Address {
  readonly config: pg.ClientConfig
  /** The login role bypasses row-level security, so the program switches to the plain role. */
  readonly bypassesRowSecurity: boolean
  /** A connection pooler answers. It may give each transaction another session. */
  readonly isPooled: boolean
  /** The database has the extension Citus, and its tables may lie on several nodes. */
  readonly isCitus: boolean
  /** The rows lie on this node of Citus, so a statement runs in the session itself, as on one server. */
  readonly holdsRows?: boolean
}

/** Whether statements may run on other nodes, in sessions that know only what Citus passes on. */
export function passesSettingsOn({ isCitus, holdsRows = false }: Address): boolean {
  return isCitus && !holdsRows
}

/**
 * The server limits the time of statements and locks. `query_timeout` covers a server that no longer answers: it ends
 * the connection, where TCP would wait for a quarter of an hour.
 */
export function clientConfig(url: string): pg.ClientConfig {
  return {
    ...pooledConfig(url),
    statement_timeout: db_limits.statement_ms,
    lock_timeout: db_limits.database_wait_ms,
    idle_in_transaction_session_timeout: db_limits.statement_ms,
  }
}

/** Without settings in the first message, which poolers refuse. */
export function pooledConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'atrium',
    connectionTimeoutMillis: db_limits.database_wait_ms,
    query_timeout: db_limits.statement_ms + db_limits.database_wait_ms,
    keepAlive: true,
    keepAliveInitialDelayMillis: db_limits.database_probe_ms,
    pipeline: true,
  }
}

const durable = `set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on'
  else current_setting('synchronous_commit') end, true)`
const times = [
  ['statement_timeout', db_limits.statement_ms],
  ['lock_timeout', db_limits.database_wait_ms],
  ['idle_in_transaction_session_timeout', db_limits.statement_ms],
].map(([name, value]) => `set_config('${name}', '${value}', true)`)

/**
 * In a transaction that writes, rows are read through indexes. Otherwise a statement that is planned while its table is empty reads the
 * whole table from then on, until PostgreSQL looks at the table again: an import into an emptied table became ten times as slow. Where
 * no index serves, PostgreSQL before 18 estimates a cost at which it would compile the statement.
 */
export const through_indexes = `set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`

/** The statement that a transaction begins with: what it may see, how it reads and, through a pooler, the settings of a session. */
export function transactionSettings(
  { isPooled, bypassesRowSecurity }: Address,
  visible: Visible,
  writes: boolean,
): Bound {
  const { name, sql, values } = scopeSettings(visible, true)
  const more = writes ? [through_indexes] : []
  if (!isPooled) return { name: writes ? `${name} write` : name, sql: [sql, ...more].join(', '), values }
  const role = bypassesRowSecurity ? [`set_config('role', '${app_role}', true)`] : []
  return { sql: [sql, ...more, durable, ...times, ...role].join(', '), values }
}

/** The same on Citus, which passes these statements on to the nodes of the transaction, and nothing else of a session. */
export function settingsOnNodes({ config }: Address, visible: Visible): Bound[] {
  const wait: Bound = { sql: `set local lock_timeout to ${Number(config.lock_timeout)}`, values: [] }
  return [...settingStatements(visible), wait]
}

/**
 * Citus 13.2.2 keeps one more plan of a prepared statement at each execution on the node with its rows: the session grows
 * without bound. Plans for one execution are not kept. If the operator has a corrected Citus and sets `plan_cache_mode`, that stands.
 */
const plans_on_citus = `select set_config('plan_cache_mode', 'force_custom_plan', false)
  from pg_settings where name = 'plan_cache_mode' and source = 'default'`

/** The code that waits on a connection gets its errors; an `error` event without listener would end the process. */
function ignore(): void {}

/**
 * Switches to the plain role if the login role bypasses row-level security, and refuses commits that are not on disk.
 */
export async function prepareClient(client: pg.ClientBase, address: Omit<Address, 'config'>): Promise<void> {
  const { bypassesRowSecurity, isPooled, isCitus, holdsRows = false } = address
  client.on('error', ignore)
  takeRows(client)
  if (isPooled) return prepareNothing(client)
  if (holdsRows) boundPrepared(client, db_limits.shard_statements_max)
  const role = bypassesRowSecurity ? `set role ${app_role};` : ''
  const plans = holdsRows ? '' : `${plans_on_citus};`
  const passedOn = isCitus ? `set citus.propagate_set_commands to 'local'; ${plans}` : ''
  await client.query(
    `${role} ${passedOn} select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`,
  )
}

/** A connection outside any pool. */
export async function openClient(address: Address): Promise<pg.Client> {
  const client = new pg.Client(address.config)
  client.on('error', ignore)
  try {
    await client.connect()
    await prepareClient(client, address)
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
