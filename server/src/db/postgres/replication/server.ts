/** The server that is followed: what it is, whether it can be followed, its replication slot, and the end of its log. */
import { DatabaseMisconfigured } from '../../store.ts'
import { tablespaces } from './base-backup.ts'
import { ReplicationConnection, type Row } from './connection.ts'
import { readPosition } from './positions.ts'

export interface ServerState {
  /** The release: 15 to 18. */
  readonly release: number
  /** The identifier of the cluster. */
  readonly system: string
  readonly timeline: number
  readonly database: string
  readonly role: string
  /** The replication slot, which is the database's. */
  readonly slot: string
  /** Bytes of a file of the log. */
  readonly file_bytes: number
  /** The end of the log on the server's disk. */
  readonly flushed: number
}

const release_min = 15

const about_server = `select current_setting('server_version_num') as version, current_setting('server_version') as shown,
  current_setting('wal_level') as wal_level, current_setting('max_slot_wal_keep_size') as kept,
  (select setting from pg_settings where name = 'wal_segment_size') as file_bytes,
  pg_is_in_recovery()::text as standby, current_database() as database, session_user as role,
  (select oid from pg_database where datname = current_database())::text as oid,
  current_setting('synchronous_standby_names') as synchronous,
  exists (select 1 from pg_extension where extname = 'citus')::text as citus,
  exists (select 1 from pg_tablespace where spcname not in ('pg_default', 'pg_global'))::text as tablespaces`

/** The slot of a database: one follower for each. */
const slotName = (oid: string) => `atrium_backup_${oid}`

export class FollowedServer {
  private readonly connection: ReplicationConnection

  private constructor(connection: ReplicationConnection) {
    this.connection = connection
  }

  static async open(url: string): Promise<FollowedServer> {
    return new FollowedServer(await ReplicationConnection.open(url))
  }

  /** Rejects with DatabaseMisconfigured if the server cannot be followed. Changes nothing. */
  static async check(url: string): Promise<void> {
    const server = await FollowedServer.open(url)
    try {
      await server.about()
    } finally {
      server.close()
    }
  }

  private async about(): Promise<Row> {
    const about = await this.one(about_server)
    const refused = refusal(about)
    if (refused !== null) throw new DatabaseMisconfigured(refused)
    return about
  }

  /** Finds out what the server is, and makes the slot. Rejects with DatabaseMisconfigured if it cannot be followed. */
  async prepare(): Promise<{ readonly state: ServerState; readonly warnings: readonly string[] }> {
    const about = await this.about()
    const slot = slotName(String(about.oid))
    await this.keepLog(slot)
    const { systemid, timeline } = await this.one('IDENTIFY_SYSTEM')
    const state: ServerState = {
      release: Math.floor(Number(about.version) / 10_000),
      system: String(systemid),
      timeline: Number(timeline),
      database: String(about.database),
      role: String(about.role),
      slot,
      file_bytes: Number(about.file_bytes),
      flushed: (await this.look()).flushed,
    }
    return { state, warnings: about.kept === '-1' ? [unlimited] : [] }
  }

  /** A moment on the server's clock in milliseconds, and the end of the log on its disk, which has what was committed by then. */
  async look(): Promise<{ readonly at: number; readonly flushed: number }> {
    // The time is taken first.
    const { at } = await this.one('select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as at')
    const { flushed } = await this.one('select pg_current_wal_flush_lsn() as flushed')
    return { at: Number(at), flushed: readPosition(String(flushed)) }
  }

  close(): void {
    this.connection.close()
  }

  /** Makes the slot, again if the server has removed what it should keep. */
  private async keepLog(slot: string): Promise<void> {
    const [found] = await this.connection.rows(
      `select wal_status from pg_replication_slots where slot_name = '${slot}'`,
    )
    if (found !== undefined && found.wal_status !== 'lost') return
    if (found !== undefined) await this.connection.rows(`DROP_REPLICATION_SLOT ${slot}`)
    await this.connection.rows(`CREATE_REPLICATION_SLOT ${slot} PHYSICAL (RESERVE_WAL)`)
  }

  private async one(text: string): Promise<Row> {
    return (await this.connection.rows(text))[0] ?? {}
  }
}

/** Why a server cannot be followed; null if it can. */
export function refusal({
  version,
  shown,
  wal_level,
  standby,
  citus,
  synchronous,
  tablespaces: has,
}: Row): string | null {
  const refused = 'PostgreSQL cannot be followed:'
  if (Number(version) < release_min * 10_000)
    return `${refused} its release is ${shown}. Release ${release_min} or later is needed.`
  if (citus === 'true')
    return `${refused} the database has Citus, and each node of a cluster has a log of its own. Back up the nodes themselves, with base backups and citus_create_restore_point.`
  if (standby === 'true') return `${refused} this server is a standby. Set ATRIUM_DATABASE_URL to the primary.`
  if (wal_level === 'minimal') return `${refused} its wal_level is minimal. Set it to replica and restart the server.`
  // Commits would wait for the follower, which confirms less than it has.
  if (/(^|[\s,(])"?\*"?($|[\s,)])/.test(String(synchronous ?? '')))
    return `${refused} its synchronous_standby_names is ${synchronous}, so commits would wait for the follower. Name the standbys.`
  return has === 'true' ? tablespaces : null
}

const unlimited =
  'max_slot_wal_keep_size of PostgreSQL is unlimited: while the follower does not run, the log grows until the disk is full; set it to what the disk can spare'

/** Drops the slot of a database. False if it has none. Rejects with DatabaseMisconfigured while a follower uses it. */
export async function dropSlot(url: string): Promise<boolean> {
  const connection = await ReplicationConnection.open(url)
  try {
    const [found] = await connection.rows(
      "select slot_name, active::text from pg_replication_slots where slot_name = 'atrium_backup_' || (select oid from pg_database where datname = current_database())",
    )
    if (found === undefined) return false
    if (found.active === 'true') throw new DatabaseMisconfigured('A process follows the database: end it first.')
    await connection.rows(`DROP_REPLICATION_SLOT ${found.slot_name}`)
    return true
  } finally {
    connection.close()
  }
}
