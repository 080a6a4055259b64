/**
 * Row-level security does not hold for superusers. When the URL names one, the program's sessions put on a plain role,
 * which is made here; an ordinary owner needs none, because the policies are forced on owners too.
 */
import pg from 'pg'
import { limits } from '../lib/limits.ts'
import { app_role } from './row-security.ts'
import { StoreUnavailable } from './store.ts'

/** Makes the role where it is needed. True when sessions must put it on. */
export async function preparePostgres(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: limits.database_wait_ms })
  client.on('error', () => {})
  try {
    await client.connect()
    const found = await client.query(
      `select rolsuper or rolbypassrls as bypasses from pg_roles where rolname = current_user`,
    )
    const bypasses = Boolean(found.rows[0]?.bypasses)
    if (bypasses) await grantRole(client)
    return bypasses
  } catch (error) {
    throw new StoreUnavailable(`the database cannot be opened: ${(error as Error).message}`, error)
  } finally {
    await client.end().catch(() => {})
  }
}

async function grantRole(client: pg.Client): Promise<void> {
  // Two processes may start at once: the advisory lock keeps them from making the role twice.
  await client.query('begin')
  await client.query(`select pg_advisory_xact_lock(727401)`)
  const role = await client.query('select 1 from pg_roles where rolname = $1', [app_role])
  if (role.rowCount === 0) await client.query(`create role ${app_role} nologin nosuperuser nobypassrls`)
  await client.query(`grant ${app_role} to current_user`)
  await client.query(`grant create, usage on schema public to ${app_role}`)
  await client.query('commit')
}
