/**
 * For operators: the database's release, the settings that durability depends on, whether row-level security protects
 * every table, and its migrations. Reads only, and shows no tenant's data.
 */
import { sql } from 'kysely'
import { appliedMigrations, migrations, unknownMigrations } from '../migrate.ts'
import { rawQuery } from '../query.ts'
import type { Reader, Store } from '../store.ts'

export interface Inspection {
  readonly engine: 'SQLite' | 'PostgreSQL'
  readonly version: string
  /** Names as in the engine. */
  readonly settings: Readonly<Record<string, string>>
  /** Applied here but unknown to this program: the database belongs to a newer one. */
  readonly unknownMigrations: readonly string[]
  readonly pendingMigrations: readonly string[]
  readonly organizations: number
  /** When the newest entry of the event log and of the request log was written, in milliseconds. */
  readonly newest: number | null
  /** The clock of the database server; null for an embedded one. */
  readonly clock: number | null
  /** Tables of tenants that show other tenants' rows; null on an engine without row-level security. */
  readonly unprotected: readonly string[] | null
  /** Standbys that receive the log now, with what a commit waits for; null for an embedded database. */
  readonly standbys: readonly Standby[] | null
  /** Null without one, and for an embedded database. */
  readonly followerSlot: FollowerSlot | null
  /** The newest run of the worker that reads all rows again; null before its first. */
  readonly scrub: { readonly at: number; readonly error: string | null } | null
}

/** The replication slot of the continuous backup. */
export interface FollowerSlot {
  /** Whether a follower uses it. */
  readonly active: boolean
  /** Bytes of the log that the server keeps for it; null if the server has removed what it should keep. */
  readonly bytes: number | null
}

interface Standby {
  readonly name: string
  /** `async`, `potential`, `sync` or `quorum`; null if this role may not see it. */
  readonly mode: string | null
}

const countOrganizations = rawQuery(() => sql<{ count: number }>`select count(*) as count from organizations`)

const newestScrub = rawQuery(
  () => sql<{ at: number; error: string | null }>`select last_ended_at as at, last_error as error
    from workers where name = 'scrub' and last_ended_at is not null`,
)

const newestRow = rawQuery(
  () =>
    sql<{ at: number | null }>`select max(created) as at from (select max(created) as created from events
      union all select max(created) from request_logs) as newest`,
)

/** Works on a database in any state, also an empty one. */
export async function inspect(store: Store): Promise<Inspection> {
  const reader = store.reader('system')
  const names = await appliedMigrations(store)
  const all = migrations.map(({ name }) => name)
  const pending = all.filter((name) => !names.includes(name))
  const empty = names.length === 0
  const engine = store.dialect === 'sqlite' ? await inspectSqlite(reader) : await inspectPostgres(reader, empty)
  return {
    ...engine,
    unknownMigrations: unknownMigrations(names),
    pendingMigrations: pending,
    organizations: empty ? 0 : Number((await reader.first(countOrganizations))?.count ?? 0),
    scrub: empty ? null : ((await reader.first(newestScrub)) ?? null),
    newest: empty ? null : ((await reader.first(newestRow))?.at ?? null),
  }
}

type OfEngine = Pick<
  Inspection,
  'engine' | 'version' | 'settings' | 'clock' | 'unprotected' | 'standbys' | 'followerSlot'
>

const sqliteVersion = rawQuery(() => sql<{ version: string }>`select sqlite_version() as version`)
const synchronous_names = ['off', 'normal', 'full', 'extra']

async function inspectSqlite(reader: Reader): Promise<OfEngine> {
  const journal = await reader.first(rawQuery(() => sql<{ journal_mode: string }>`pragma journal_mode`))
  const synchronous = await reader.first(rawQuery(() => sql<{ synchronous: number }>`pragma synchronous`))
  return {
    engine: 'SQLite',
    version: (await reader.first(sqliteVersion))?.version ?? 'unknown',
    settings: {
      journal_mode: journal?.journal_mode ?? 'unknown',
      synchronous: synchronous_names[synchronous?.synchronous ?? -1] ?? 'unknown',
    },
    clock: null,
    unprotected: null,
    standbys: null,
    followerSlot: null,
  }
}

/** Faults that SQLite finds in the file, at most ten. Reads the whole file. */
export async function checkIntegrity(store: Store): Promise<string[]> {
  if (store.dialect !== 'sqlite') return []
  const rows = await store
    .reader('system')
    .all(rawQuery(() => sql<{ integrity_check: string }>`pragma integrity_check(10)`))
  return rows.map((row) => row.integrity_check).filter((finding) => finding !== 'ok')
}

const postgresSettings = rawQuery(
  () => sql<{ name: string; setting: string }>`select name, setting from pg_settings where name in
    ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums')`,
)

const postgresClock = rawQuery(
  () => sql<{ now: number }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`,
)

/** `row_security_active` answers for the session's own role: a superuser's session would see every row. */
const unprotectedTables = rawQuery(
  () => sql<{ name: string }>`select c.relname as name from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and exists (select 1
      from pg_attribute a where a.attrelid = c.oid and a.attname in ('realm', 'organization') and a.attnum > 0)
    and not row_security_active(c.oid) order by c.relname`,
)

const postgresSlot = rawQuery(
  () => sql<{ active: boolean; bytes: number | null }>`select active, case when wal_status = 'lost' then null
      else pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint end as bytes
    from pg_replication_slots where not pg_is_in_recovery()
      and slot_name = 'atrium_backup_' || (select oid from pg_database where datname = current_database())`,
)

/** Only some roles may see `sync_state`. The follower of a backup is no standby. */
const postgresStandbys = rawQuery(
  () => sql<Standby>`select coalesce(nullif(application_name, ''), client_addr::text, 'unnamed') as name,
    coalesce(sync_state, case when current_setting('synchronous_standby_names') = '' then 'async' end) as mode
    from pg_stat_replication where (state is null or state in ('streaming', 'catchup'))
      and application_name is distinct from 'atrium backup' order by 1`,
)

async function inspectPostgres(reader: Reader, empty: boolean): Promise<OfEngine> {
  const rows = await reader.all(postgresSettings)
  const { server_version, ...settings } = Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
  return {
    engine: 'PostgreSQL',
    version: server_version ?? 'unknown',
    settings,
    clock: (await reader.first(postgresClock))?.now ?? null,
    unprotected: empty ? [] : (await reader.all(unprotectedTables)).map(({ name }) => name),
    standbys: await reader.all(postgresStandbys),
    followerSlot: (await reader.first(postgresSlot)) ?? null,
  }
}
