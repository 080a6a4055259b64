/**
 * The checks of the doctor. `fail`: data is lost, or cannot be reached. `warn`: change it before that happens. Every
 * finding that is not ok says what to do.
 */
import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { referencedContents } from '../db/backup/backup.ts'
import { checkIntegrity, type Inspection, inspect } from '../db/backup/inspect.ts'
import { type ClusterNode, clusterNodes, unplacedTables } from '../db/citus/distribute.ts'
import { query } from '../db/query.ts'
import type { SecretKeyRow } from '../db/schema.ts'
import { readSecretKeyRow } from '../db/secret-key/check.ts'
import { examineLogs, type LogFault } from '../db/sqlite/checked-log.ts'
import { isCorrupt } from '../db/sqlite/errors.ts'
import { openToOthers } from '../db/sqlite/file-modes.ts'
import { logFileOf } from '../db/sqlite/log/file.ts'
import { DamagedDatabase, type NodeStatus, type Reader, type ReplicaStatus, type Store } from '../db/store.ts'
import { type ContentStore, ContentUnavailable } from '../files/content-store.ts'
import { systemClock } from '../lib/clock.ts'
import { programVersion } from '../lib/program-version.ts'
import { Sealer } from '../lib/seal.ts'
import { readKeyFile } from '../lib/secret-key.ts'
import { deadMails } from '../resources/notifications/shared/dead-mails.ts'
import { indexStatus } from '../search/follow.ts'
import { secretKeyFileOf } from '../secret-key.ts'
import { Failure } from './command.ts'
import { databaseFile, isMissing, lost_advice, lostDatabase } from './database-files.ts'
import { checkContinuousBackup, checkFollowerSlot } from './doctor-backup.ts'
import type { Check } from './doctor-check.ts'
import { cli_limits } from './limits.ts'
import { withStore } from './open.ts'

const ok = (name: string, found: string): Check => ({ name, status: 'ok', found, advice: null })
const warn = (name: string, found: string, advice: string): Check => ({ name, status: 'warn', found, advice })
const fail = (name: string, found: string, advice: string): Check => ({ name, status: 'fail', found, advice })

export async function examine(): Promise<Check[]> {
  const config = readConfig()
  const file = await databaseFile(config)
  const start = [ok('atrium', programVersion()), checkNode()]
  const place = resolve(file === null ? config.dataDir : dirname(file))
  const lost = file === null ? null : lostDatabase(config, file)
  if (lost !== null) return [...start, fail('database', lost, lost_advice), ...checkPlace(place)]
  if (file !== null && isMissing(file)) {
    const advice = "'atrium serve' or 'atrium init' creates one. Set ATRIUM_DATA_DIR to use another folder."
    return [...start, warn('database', `none at ${file}`, advice), ...checkPlace(place)]
  }
  try {
    const logs = file === null ? [] : examineLogs(file)
    // Opening the database would correct the log.
    if (file !== null && logs.length > 0)
      return [...start, ...logs.map(checkLog), checkModes(file), ...checkPlace(place)]
    return [...start, ...(await examineDatabase(config, file, place))]
  } catch (error) {
    const found = damageIn(error, file)
    if (found === null) throw error
    const advice =
      "Stop the server, keep the file, and load the newest backup into an empty database with 'atrium restore'."
    return [...start, fail('database', found, advice), ...checkPlace(place)]
  }
}

function checkLog({ log, corrected, refusal }: LogFault): Check {
  if (refusal !== null) return fail('write_ahead_log', refusal, 'the database was not opened: do what is said first')
  const found = `${log} has a flipped bit in what begins at byte ${corrected.join(', ')}`
  const advice =
    'the next start corrects it by the checksums; the database is examined after that. Check the disk and the memory of this machine'
  return warn('write_ahead_log', found, advice)
}

/** What an error says about a damaged file; null for other errors. Some damage keeps the database from being opened, other from being read. */
function damageIn(error: unknown, file: string | null): string | null {
  if (error instanceof Failure && error.cause instanceof DamagedDatabase) return error.message
  return isCorrupt(error) ? `The database ${file} is damaged: ${(error as Error).message}.` : null
}

async function examineDatabase(config: Config, file: string | null, place: string): Promise<Check[]> {
  const files = file === null ? [] : [checkRequestLog(logFileOf(file)), checkModes(file)]
  return await withStore(
    async (store) => {
      const inspection = await inspect(store)
      return [
        ok('database', `${inspection.engine} ${inspection.version}${file === null ? '' : `, ${file}`}`),
        ...files,
        ...checkDurability(inspection),
        ...(file === null ? [] : [checkFindings(await checkIntegrity(store))]),
        ...checkStandbys(inspection.standbys),
        ...(await store.replicaStatus()).map(checkReplica),
        ...checkWall(inspection),
        ...(store.isDistributed ? await checkCluster(store.reader('system')) : []),
        ...(await store.nodeStatus()).map(checkNodeConnection),
        checkScrub(inspection),
        checkMigrations(inspection),
        ...(await checkSearch(store, inspection)),
        ...(await checkDeadLetters(store, inspection)),
        ...(await checkFiles(config, store, inspection)),
        ...checkContinuousBackup(config.dataDir, systemClock.now()),
        ...checkFollowerSlot(inspection.followerSlot),
        checkSecretKey(config, inspection, await readSecretKeyRow(store)),
        ...checkPlace(place),
        checkClock(inspection, systemClock.now()),
      ]
    },
    { anyKey: true },
  )
}

export function checkReplica({ name, ready, behind_bytes, fault }: ReplicaStatus): Check {
  const distance = behind_bytes === null ? '' : `, ${behind_bytes} bytes behind`
  if (ready) return ok('replica', `${name}${distance}`)
  const advice =
    'Reads go to the primary until the replica has caught up. Check ATRIUM_DATABASE_READ_URL and its replication.'
  return warn('replica', `${name}${distance}: ${fault ?? 'too far behind'}`, advice)
}

function checkNodeConnection({ name, ready, fault }: NodeStatus): Check {
  if (ready) return ok('node_connection', name)
  const advice =
    'Statements go through the coordinator until this machine can connect to the node as to the coordinator. ATRIUM_DATABASE_NODES=false stops the attempts.'
  return warn('node_connection', `${name}: ${fault ?? 'not tried yet'}`, advice)
}

/** Checked before the database is opened, which creates a missing log. `integrity` covers this file too. */
function checkRequestLog(file: string): Check {
  if (existsSync(file)) return ok('request_log', file)
  return warn(
    'request_log',
    `none at ${file}`,
    'The next start creates a new one; the entries of earlier requests are lost.',
  )
}

function checkModes(file: string): Check {
  const open = openToOthers(file)
  if (open.length === 0) return ok('file_modes', 'only this account can read the data')
  const advice = 'The next start sets files to mode 600, and a folder that holds nothing else to mode 700.'
  return warn('file_modes', `other accounts can use ${open.join(', ')}`, advice)
}

function checkNode(): Check {
  const major = Number(process.versions.node.split('.')[0])
  if (major >= 26) return ok('node', process.versions.node)
  return warn('node', process.versions.node, "Run bin/atrium, which uses the Node 26 that 'npm ci' installs.")
}

/** Each setting with the values that keep acknowledged writes, and what to do about any other. */
const durable: Readonly<Record<string, readonly [values: readonly string[], status: 'warn' | 'fail', advice: string]>> =
  {
    journal_mode: [['wal'], 'fail', 'WAL mode is not available here. Move the database to a local file system.'],
    synchronous: [
      ['full', 'extra'],
      'fail',
      'Set synchronous to full: a crash loses commits that did not wait for the disk.',
    ],
    fsync: [['on'], 'fail', 'Set fsync = on: a crash of the machine can destroy the database.'],
    synchronous_commit: [
      ['on', 'local', 'remote_write', 'remote_apply'],
      'fail',
      'Set synchronous_commit = on: a crash loses the last acknowledged writes.',
    ],
    full_page_writes: [['on'], 'fail', 'Set full_page_writes = on: a crash of the machine can destroy pages.'],
    data_checksums: [['on'], 'warn', 'Run pg_checksums --enable: without checksums a damaged page is not noticed.'],
  }

function checkDurability({ settings }: Inspection): Check[] {
  return Object.entries(settings).map(([name, found]) => {
    const [values, status, advice] = durable[name] ?? [[found], 'warn', '']
    return values.includes(found) ? ok(name, found) : { name, status, found, advice }
  })
}

/** A failover to a standby that no commit waits for loses acknowledged writes. */
export function checkStandbys(standbys: Inspection['standbys']): Check[] {
  if (standbys === null) return []
  if (standbys.length === 0) return [ok('standbys', 'none')]
  const waited = new Set<string | null>(['sync', 'quorum'])
  const shown = standbys.map(({ name, mode }) => `${name} (${mode ?? 'mode not visible to this role'})`).join(', ')
  if (standbys.every(({ mode }) => waited.has(mode))) return [ok('standbys', shown)]
  const advice =
    'A failover to an asynchronous standby loses acknowledged writes. Name it in synchronous_standby_names, or fail over to a synchronous one only.'
  return [warn('standbys', shown, advice)]
}

function checkFindings(findings: readonly string[]): Check {
  if (findings.length === 0) return ok('integrity', 'integrity_check found nothing')
  return fail(
    'integrity',
    findings.join('; ').replaceAll('\n', ' '),
    'Stop the server, keep the file, and restore a backup.',
  )
}

/** The nodes of Citus, and whether `atrium migrate` has placed every table. */
export async function checkCluster(reader: Reader): Promise<Check[]> {
  const unplaced = await unplacedTables(reader)
  const nodes = await clusterNodes(reader)
  const names = nodes.map(({ name }) => name).join(', ')
  const advice = "The next start places them; 'atrium migrate' places them now."
  const placed =
    unplaced.length === 0 ? ok('placements', 'every table is placed') : fail('placements', unplaced.join(', '), advice)
  const weak = nodes.flatMap((node) => faultOf(node) ?? [])
  if (weak.length === 0) return [placed, ok('nodes', names)]
  const settings =
    'Acknowledged writes can be lost on such a node. Correct its settings as those of a single server; Citus also needs max_prepared_transactions of at least max_connections.'
  return [placed, fail('nodes', weak.join('; '), settings)]
}

/** What could lose writes on a node, in words; null for nothing. */
function faultOf({ name, active, settings }: ClusterNode): string | null {
  if (settings === null) return `${name} does not answer`
  if (!active) return `${name} is not used`
  const wrong = ['fsync', 'synchronous_commit', 'full_page_writes'].filter((each) => settings[each] === 'off')
  if (settings.max_prepared_transactions === '0') wrong.push('max_prepared_transactions')
  return wrong.length === 0 ? null : `${name} has ${wrong.map((each) => `${each} ${settings[each]}`).join(', ')}`
}

function checkScrub({ scrub }: Inspection): Check {
  if (scrub === null) return ok('scrub', 'no running server has read rows again yet')
  if (scrub.error === null) return ok('scrub', `nothing found, last at ${new Date(scrub.at).toISOString()}`)
  return fail('scrub', scrub.error, 'Keep a copy of the database, and restore a backup from before the damage.')
}

function checkWall({ unprotected }: Inspection): Check[] {
  if (unprotected === null) return []
  if (unprotected.length === 0) return [ok('row_security', 'in force on every table of tenants')]
  const advice = 'The second barrier between tenants is missing. Let Atrium connect as the owner of the tables.'
  return [warn('row_security', `not in force on ${unprotected.join(', ')}`, advice)]
}

function checkMigrations({ pendingMigrations: pending, unknownMigrations: unknown }: Inspection): Check {
  if (unknown.length > 0) {
    return fail(
      'migrations',
      `unknown: ${unknown.join(', ')}`,
      'A later version of Atrium wrote this database. Run that version.',
    )
  }
  if (pending.length === 0) return ok('migrations', 'all applied')
  return warn(
    'migrations',
    `pending: ${pending.join(', ')}`,
    "The next start applies them; 'atrium migrate' applies them now.",
  )
}

/** How far the index of search is. Not being up to date loses nothing. */
async function checkSearch(store: Store, { organizations, pendingMigrations }: Inspection): Promise<Check[]> {
  if (organizations === 0 || pendingMigrations.length > 0) return []
  const status = await store.reader('system').first(indexStatus)
  const { walking, behind } = { walking: Number(status?.walking ?? 0), behind: Number(status?.behind ?? 0) }
  if (walking === 0 && behind <= cli_limits.search_behind_events) return [ok('search_index', `${behind} events behind`)]
  const found = `${behind} events behind, ${walking} data ${walking === 1 ? 'set is' : 'sets are'} being built`
  return [warn('search_index', found, 'Searches may lack objects. A running server continues by itself.')]
}

/** Mails and notices that were given up reach no person until they are sent again. */
async function checkDeadLetters(store: Store, { organizations, pendingMigrations }: Inspection): Promise<Check[]> {
  if (organizations === 0 || pendingMigrations.length > 0) return []
  const { length } = await deadMails(store.reader('system'))
  if (length === 0) return [ok('dead_letters', 'none')]
  const advice = "'atrium mail dead' says why, and 'atrium mail retry' sends them again; so does the page Operator."
  return [warn('dead_letters', `${length} mails or notices were given up`, advice)]
}

/** Files whose content is named. */
const shown_files = 5

const filesWith = query<{ id: string }, { realm: number; sha256: string; count: number }>((db, p) =>
  db
    .selectFrom('files')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('sha256', '=', p('sha256'))
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(p('count')),
)

/** Whether each content that files have is there, with all of its bytes. */
async function checkFiles(config: Config, store: Store, inspection: Inspection): Promise<Check[]> {
  if (inspection.organizations === 0 || inspection.pendingMigrations.length > 0) return []
  const { openFiles } = await import('../main.ts')
  const contents = openFiles(config, store).store
  try {
    return await checkContents(contents, store)
  } catch (error) {
    if (!(error instanceof ContentUnavailable)) throw error
    return [fail('files', `${contents.place} cannot be read: ${error.message}`, 'Check ATRIUM_FILES_URL and its keys.')]
  }
}

async function checkContents(contents: ContentStore, store: Store): Promise<Check[]> {
  const reader = store.reader('system')
  const lost: string[] = []
  let [count, faults] = [0, 0]
  for await (const { realm, sha256, key, bytes } of referencedContents(reader)) {
    count++
    const size = await contents.size(key)
    if (size === bytes) continue
    faults++
    const state = size === null ? 'missing' : `${size} of ${bytes} bytes`
    for (const { id } of await reader.all(filesWith, { realm, sha256, count: shown_files })) {
      if (lost.length < shown_files) lost.push(`${id} (${state})`)
    }
  }
  if (faults === 0) return [ok('files', `the content of all files, ${count} in total, is at ${contents.place}`)]
  const found = `${faults} of ${count} contents are missing or incomplete at ${contents.place}: ${lost.join(', ')}`
  return [fail('files', found, 'Put the folder back, or restore a backup. Check ATRIUM_DATA_DIR and ATRIUM_FILES_URL.')]
}

function checkSecretKey(config: Config, { organizations }: Inspection, row: SecretKeyRow | null): Check {
  if (config.secretKey !== null) {
    return checkFingerprint('ATRIUM_SECRET_KEY', config.secretKey, row) ?? ok('secret_key', 'from ATRIUM_SECRET_KEY')
  }
  const file = secretKeyFileOf(config)
  if (!existsSync(file)) {
    if (organizations === 0) return ok('secret_key', 'none yet')
    return fail(
      'secret_key',
      `${file} is missing`,
      'Put it back: without it, no API key is valid and no sealed value can be opened.',
    )
  }
  let key: Buffer | null
  try {
    key = readKeyFile(file)
    if (key === null) throw new Error('not 32 bytes in base64')
  } catch (error) {
    return fail('secret_key', `${file}: ${(error as Error).message}`, 'Put the right file back.')
  }
  const wrong = checkFingerprint(file, key, row)
  if (wrong !== null) return wrong
  const mode = statSync(file).mode & 0o777
  const found = `${file}, mode ${mode.toString(8).padStart(4, '0')}`
  if ((mode & 0o077) === 0) return ok('secret_key', found)
  return warn('secret_key', found, `Other accounts can read it. Run chmod 600 ${file}.`)
}

/** The database knows its key's fingerprint; one that a program before it has served last does not. */
function checkFingerprint(name: string, key: Buffer, row: SecretKeyRow | null): Check | null {
  const { fingerprint } = new Sealer(key)
  if (row === null || row.fingerprint === fingerprint) return null
  const found = `${name} is not the key of this database: its fingerprint is ${fingerprint}, not ${row.fingerprint}`
  return fail(
    'secret_key',
    found,
    'Use the key that the database was last used with: no other opens its sealed values.',
  )
}

/** Magic numbers of Linux file systems (statfs(2)) that do not keep a database. */
const file_systems: Readonly<Record<number, readonly [status: 'warn' | 'fail', found: string, advice: string]>> = {
  16914836: ['fail', 'in memory (tmpfs)', 'Move it to a disk: a restart of the machine deletes everything.'],
  2240043254: ['fail', 'in memory (ramfs)', 'Move it to a disk: a restart of the machine deletes everything.'],
  26985: ['fail', 'NFS', 'Move it to a local disk: locks and WAL are not reliable over a network.'],
  4283649346: ['fail', 'SMB', 'Move it to a local disk: locks and WAL are not reliable over a network.'],
  4266872130: ['fail', 'SMB', 'Move it to a local disk: locks and WAL are not reliable over a network.'],
  2035054128: ['warn', 'of a container (overlay)', 'Mount a volume there: the data is deleted with the container.'],
}

/** The file system that holds the database, or with PostgreSQL the data directory. */
function checkPlace(place: string): Check[] {
  let at = place
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at)
  const { type, bsize, bavail, blocks } = statfsSync(at)
  const known = process.platform === 'linux' ? file_systems[type >>> 0] : undefined
  const system =
    known === undefined
      ? ok('file_system', place)
      : { name: 'file_system', status: known[0], found: `${place} is ${known[1]}`, advice: known[2] }
  const free = bavail * bsize
  const share = blocks === 0 ? 0 : Math.floor((100 * bavail) / blocks)
  const found = `${(free / 2 ** 30).toFixed(1)} GiB free (${share} %)`
  const advice = 'Free some space: on a full disk every write fails.'
  if (free < cli_limits.disk_free_bytes_min) return [system, fail('disk', found, advice)]
  if (free < cli_limits.disk_free_bytes_low) return [system, warn('disk', found, advice)]
  return [system, ok('disk', found)]
}

function checkClock({ clock, newest }: Inspection, now: number): Check {
  const shown = new Date(now).toISOString()
  const advice = 'Set the clock by NTP: retention, expiry and credit windows depend on it.'
  if (newest !== null && newest - now > cli_limits.clock_skew_ms) {
    const behind = Math.round((newest - now) / 1000)
    return warn('clock', `${shown}, ${behind} s behind the newest entry of the database`, advice)
  }
  if (clock !== null && Math.abs(clock - now) > cli_limits.clock_skew_ms) {
    return warn('clock', `${shown}, ${Math.round((now - clock) / 1000)} s off the database server's`, advice)
  }
  return ok('clock', shown)
}
