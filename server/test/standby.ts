/** A streaming standby of a test's PostgreSQL server. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type Postgres, type PostgresOptions, startPostgres } from './postgres.ts'

/** Copies a running primary and starts the copy as its streaming standby. `options`: those of the primary. */
export async function startStandby(
  primary: Postgres,
  dataDir: string,
  settings: readonly string[] = [],
  options: PostgresOptions = {},
): Promise<Postgres> {
  const client = await connected(primary.url)
  await client.query("select pg_backup_start('standby', true)")
  execFileSync('cp', ['-a', `${primary.dataDir}/.`, dataDir])
  const { labelfile } = (await client.query('select labelfile from pg_backup_stop(false)')).rows[0]
  await client.end()
  const cluster = join(dataDir, 'cluster')
  for (const left of ['postmaster.pid', 'postmaster.opts']) rmSync(join(cluster, left), { force: true })
  const { username, password, port } = new URL(primary.url)
  const source = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=standby`
  const lines = [`primary_conninfo = '${source}'`, ...settings].map((line) => `${line}\n`)
  appendFileSync(join(cluster, 'postgresql.auto.conf'), lines.join(''))
  writeFileSync(join(cluster, 'backup_label'), labelfile)
  writeFileSync(join(cluster, 'standby.signal'), '')
  // PostgreSQL may run as another user, and writes them to disk.
  for (const file of ['backup_label', 'standby.signal']) chmodSync(join(cluster, file), 0o666)
  return await startPostgres({ ...options, dataDir })
}

/** A connection whose loss is no error. */
export async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}
