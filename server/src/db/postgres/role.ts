/**
 * Row-level security does not apply to superusers. If the URL names one, the program's sessions switch to a plain role,
 * which is created here; an ordinary owner needs none, because the policies are forced on owners too.
 */
import pg from 'pg'
import { db_limits } from '../limits.ts'
import { app_role } from '../row-security.ts'
import { StoreUnavailable } from '../store.ts'
import { clientConfig, closeClient } from './client.ts'

/** Creates the role if it is needed. True if sessions must switch to it. */
export async function preparePostgres(url: string): Promise<boolean> {
  const client = new pg.Client(clientConfig(url))
  client.on('error', () => {})
  try {
    await client.connect()
    const found = await client.query(
      `select rolsuper or rolbypassrls as bypasses from pg_roles where rolname = current_user`,
    )
    const bypasses = Boolean(found.rows[0]?.bypasses)
    if (bypasses) await makeRole(client)
    return bypasses
  } catch (error) {
    throw new StoreUnavailable(`the database cannot be opened: ${(error as Error).message}`, error)
  } finally {
    await closeClient(client)
  }
}

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

/**
 * Roles belong to the cluster, so a process that opens another database may take the same step at the same moment. A
 * failed step is checked again: the other process has most likely completed it.
 */
async function makeRole(client: pg.Client): Promise<void> {
  for (const [has, give] of steps) {
    for (let attempt = 1; (await client.query(has)).rowCount === 0; attempt++) {
      try {
        await client.query(give)
      } catch (error) {
        if (attempt >= db_limits.role_attempts_max) throw error
      }
    }
  }
}
