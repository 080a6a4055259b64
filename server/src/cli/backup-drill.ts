/** `atrium backup --drill`: restores the newest state into a temporary folder and checks it, so that the first restore is not in an emergency. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { writeState } from '../db/backup/follow/sqlite-state.ts'
import { findState, isCluster, type Restored, type State } from '../db/backup/follow/state.ts'
import { type DrillStatus, writeDrillStatus } from '../db/backup/follow/status.ts'
import { accountFor, giveAll } from '../db/postgres/recovery/account.ts'
import type { Store } from '../db/store.ts'
import { systemClock } from '../lib/clock.ts'
import { explaining, type OpenedDestination, openDestination } from './backup-destination.ts'
import { Failure, type Outcome } from './command.ts'
import { cli_limits } from './limits.ts'
import { recoverInto } from './restore-cluster.ts'
import { missingContents, requireConfiguredKey, type Verified, verifyDatabase } from './verify-state.ts'

export interface DrillResult extends Restored {
  readonly engine: 'sqlite' | 'postgres'
  readonly audit_entries: number
  readonly missing_files: { readonly count: number; readonly keys: readonly string[] } | null
}

/** Restores into a temporary folder, verifies, and removes it. Rejects with Failure. */
export async function tryState(config: Config, opened: OpenedDestination, at: number | null): Promise<DrillResult> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-drill-'))
  try {
    return await explaining(async () => {
      const state = await findState(opened.destination, opened.key, at)
      const engine = isCluster(state) ? 'postgres' : 'sqlite'
      const path = join(folder, 'restored')
      // PostgreSQL may run under another account, which must enter the folder.
      if (isCluster(state)) giveAll(folder, accountFor(folder))
      let missing_files: DrillResult['missing_files'] = null
      const look = async (store: Store) => {
        if (config.files.bucket === null) missing_files = await missingContents(store, opened)
      }
      const { audit_entries, secret_key, ...restored } = isCluster(state)
        ? await recoverInto(path, { config, opened, state, at, durable: false }, look)
        : await restoreFile(path, opened, state, look)
      await requireConfiguredKey(config, secret_key)
      const { chain, covered, base, segments, bytes } = restored
      return { chain, covered, base, segments, bytes, engine, audit_entries, missing_files }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function restoreFile(
  path: string,
  { destination, key }: OpenedDestination,
  state: State,
  look: (store: Store) => Promise<void>,
): Promise<Restored & Verified> {
  const restored = await writeState(destination, key, state, path)
  return { ...restored, ...(await verifyDatabase(path, look)) }
}

/** The drill; its result is in the data directory afterwards, for the doctor and the metrics. */
export async function drill(place: string): Promise<Outcome> {
  const config = readConfig()
  const from = systemClock.now()
  let status: Omit<DrillStatus, 'took_ms'>
  let result: DrillResult | null = null
  try {
    const opened = await openDestination(config, place)
    result = await tryState(config, opened, null)
    status = { destination: opened.destination.place, at: from, ...judge(result, from), until: result.covered }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    status = { destination: place, at: from, ok: false, message: error.message, until: null }
  }
  let full: DrillStatus = { ...status, took_ms: systemClock.now() - from }
  if (existsSync(config.dataDir)) writeDrillStatus(resolve(config.dataDir), full)
  const mailed = await mailResult(config, full)
  if (mailed !== null) full = { ...full, ok: false, message: `${full.message} ${mailed}` }
  return { json: { ...full, ...(result === null ? {} : { restored: result }) }, text: full.message, bad: !full.ok }
}

/** Tells the operator how a drill ended. Returns why that failed; null if the mail was sent, or none is asked for. */
async function mailResult(config: Config, { ok, message, destination, at }: DrillStatus): Promise<string | null> {
  const { operatorMail: to } = config
  if (to === null) return null
  const { mailerOf } = await import('../main.ts')
  const mailer = mailerOf(config)
  if (mailer === null) return null
  const sent = await mailer.send({
    messageId: `<${randomUUID()}@${mailer.domain}>`,
    to,
    subject: ok ? 'Atrium: the backup can be restored' : 'Atrium: the backup cannot be relied on',
    text: `${message}\n\nDestination: ${destination}\nDrill begun: ${new Date(at).toISOString()}\nMachine: ${hostname()}\n`,
    thread: null,
    replyTo: null,
    unsubscribe: null,
  })
  return sent.outcome === 'sent' ? null : `The mail to ${to} was not sent: ${sent.error}.`
}

/** What a restore compares with its checksum. */
const compared = { sqlite: 'page', postgres: 'file' } as const

function judge({ covered, engine, audit_entries, missing_files }: DrillResult, now: number) {
  const behind_ms = Math.max(0, now - covered)
  const done = `Restored the state of ${new Date(covered).toISOString()}, ${Math.round(behind_ms / 1000)} s behind: every ${compared[engine]} is whole, and the audit log with ${audit_entries} entries is intact.`
  const faults: string[] = []
  if (behind_ms > cli_limits.drill_behind_ms) faults.push("It is too old: is 'atrium backup --follow' running?")
  if (missing_files !== null && missing_files.count > 0)
    faults.push(`The content of ${missing_files.count} files is missing: ${missing_files.keys.join(', ')}.`)
  return { ok: faults.length === 0, message: [done, ...faults].join(' ') }
}
