/**
 * What a URL leads to. Row-level security does not apply to superusers: if the URL names one, the program's sessions
 * switch to a plain role, which is created here; an ordinary owner needs none, because the policies are forced on owners
 * too. A connection pooler is recognized by its answers.
 */
import pg from 'pg'
import { db_limits } from '../limits.ts'
import { DatabaseMisconfigured, StoreUnavailable } from '../store.ts'
import { type Address, clientConfig, closeClient, pooledConfig } from './client.ts'
import { app_role } from './row-security.ts'

/** Finds out what a URL leads to, and creates the role if it is needed. */
export async function preparePostgres(url: string): Promise<Address> {
  try {
    return await prepareWith(clientConfig(url))
  } catch (error) {
    if (!isSettingRefused(error)) throw unreachable(error)
  }
  try {
    return await prepareWith(pooledConfig(url))
  } catch (error) {
    throw unreachable(error)
  }
}

function unreachable(error: unknown): Error {
  if (error instanceof DatabaseMisconfigured) return error
  return new StoreUnavailable(`the database cannot be opened: ${(error as Error).message}`, error)
}

/** A pooler refuses settings in the first message, unless its settings say to ignore them. */
function isSettingRefused(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '08P01' && /startup parameter/.test(error.message)
}

async function prepareWith(config: pg.ClientConfig): Promise<Address> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(
      `select rolsuper or rolbypassrls as bypasses, pg_backend_pid() as pid,
        exists (select 1 from pg_extension where extname = 'citus') as citus from pg_roles where rolname = current_user`,
    )
    const bypassesRowSecurity = Boolean(rows[0]?.bypasses)
    const isCitus = Boolean(rows[0]?.citus)
    if (bypassesRowSecurity) await makeRole(client, isCitus ? [...steps, ...steps_of_citus] : steps)
    // A pooler invents the number with which a connection's queries can be canceled. `pg` does not type it.
    const isPooled = (client as unknown as { processID: number }).processID !== rows[0]?.pid
    const { connectionString = '' } = config
    if (isCitus && isPooled) throw new DatabaseMisconfigured(pooled_citus)
    return { config: isPooled ? pooledConfig(connectionString) : config, bypassesRowSecurity, isPooled, isCitus }
  } finally {
    await closeClient(client)
  }
}

const pooled_citus =
  'ATRIUM_DATABASE_URL leads through a connection pooler to a database with Citus. Set it to the URL of the coordinator itself.'

/** What the role may lack: a query that finds it, and the statement that grants it. */
const steps: readonly (readonly [has: string, give: string])[] = [
  [
    `select 1 from pg_roles where rolname = '${app_role}'`,
    `create role ${app_role} nologin nosuperuser nobypassrls noinherit`,
  ],
  [`select 1 where pg_has_role(current_user, '${app_role}', 'member')`, `grant ${app_role} to current_user`],
  [
    `select 1 where has_schema_privilege('${app_role}', 'public', 'create') and has_schema_privilege('${app_role}', 'public', 'usage')`,
    `grant create, usage on schema public to ${app_role}`,
  ],
]

/** Citus opens connections to the nodes as the session's role. It passes new roles on to the nodes, but no rights in `public`. */
const steps_of_citus: typeof steps = [
  [`select 1 from pg_roles where rolname = '${app_role}' and rolcanlogin`, `alter role ${app_role} login`],
  [
    `select 1 where (select bool_and(success and result = 't') from run_command_on_all_nodes(
      $$ select has_schema_privilege('${app_role}', 'public', 'create') and has_schema_privilege('${app_role}', 'public', 'usage') $$))`,
    `select run_command_on_all_nodes('grant create, usage on schema public to ${app_role}')`,
  ],
]

/**
 * Roles belong to the cluster, so a process that opens another database may take the same step at the same moment. A
 * failed step is checked again: the other process has most likely completed it.
 */
async function makeRole(client: pg.Client, wanted: typeof steps): Promise<void> {
  for (const [has, give] of wanted) {
    for (let attempt = 1; (await client.query(has)).rowCount === 0; attempt++) {
      try {
        await client.query(give)
      } catch (error) {
        if (attempt >= db_limits.role_attempts_max) throw error
      }
    }
  }
}
