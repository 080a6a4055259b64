/**
 * A moment of a PostgreSQL server from its continuous backup: writes its files, lets the server of the same release replay the
 * log, and verifies the database while that runs.
 */
import { existsSync, readdirSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { type RestoredCluster, writeCluster } from '../db/backup/follow/cluster-state.ts'
import { BadDestination } from '../db/backup/follow/marker.ts'
import type { ClusterState } from '../db/backup/follow/state.ts'
import { accountFor, giveAll, mayEnter } from '../db/postgres/recovery/account.ts'
import { findServerProgram, NoProgram } from '../db/postgres/recovery/programs.ts'
import { NotRecovered, withRecovered } from '../db/postgres/recovery/recovery.ts'
import { showPosition } from '../db/postgres/replication/positions.ts'
import type { Store } from '../db/store.ts'
import type { OpenedDestination } from './backup-destination.ts'
import { Failure } from './command.ts'
import { sentence } from './print.ts'
import { type Verified, verifyServer } from './verify-state.ts'

export interface Recovering {
  readonly config: Config
  readonly opened: OpenedDestination
  readonly state: ClusterState
  /** Milliseconds; null for the newest. */
  readonly at: number | null
  /** Whether the files shall be on the disk at the end. */
  readonly durable: boolean
}

/** Writes the files to a new folder, recovers and verifies them; `use` gets the store meanwhile. Rejects with Failure. */
export async function recoverInto(
  folder: string,
  { config, opened: { destination, key }, state, at, durable }: Recovering,
  use: (store: Store) => Promise<void>,
): Promise<RestoredCluster & Verified> {
  const { release, database, role } = state.base.cluster
  const account = accountFor(dirname(folder))
  try {
    const program = findServerProgram(release, config.postgresPrograms)
    const restored = await writeCluster(destination, key, state, at, folder)
    giveAll(folder, account)
    const recovery = { folder, program, account, database, role, durable }
    const verified = await withRecovered(recovery, async (url, replayed) => {
      if (replayed !== restored.end)
        throw new BadDestination(
          `PostgreSQL replayed the log of chain ${restored.chain} up to ${showPosition(replayed)}, and it ends at ${showPosition(restored.end)}`,
        )
      return await verifyServer(url, use)
    })
    return { ...restored, ...verified }
  } catch (error) {
    if (error instanceof NoProgram || error instanceof NotRecovered) throw new Failure(sentence(error.message))
    throw error
  }
}

/** The folder of `--into`, which must be empty or missing. */
export function requireEmptyFolder(into: string | undefined, { base: { cluster } }: ClusterState): string {
  if (into === undefined)
    throw new Failure(
      `This is the backup of a server, PostgreSQL ${cluster.release}: name the folder for its restored files with --into.`,
    )
  const folder = resolve(into)
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Failure(
      `The folder ${folder} is not empty: a restore never replaces files. Name another one with --into.`,
    )
  const parent = dirname(folder)
  if (!existsSync(parent)) throw new Failure(`There is no folder ${parent} for --into ${folder}.`)
  if (!mayEnter(parent, accountFor(parent)))
    throw new Failure(
      `PostgreSQL refuses root, and no other account may enter ${parent}: name a folder in one that the account of PostgreSQL owns, or run this as that account.`,
    )
  return folder
}

/** Recovers beside the folder and moves the files in when they are verified. */
export async function recoverTo(
  folder: string,
  recovering: Recovering,
  use: (store: Store) => Promise<void>,
): Promise<RestoredCluster & Verified> {
  const staging = `${folder}.restoring`
  // A killed restore may have left it.
  await rm(staging, { recursive: true, force: true })
  try {
    const restored = await recoverInto(staging, recovering, use)
    await rename(staging, folder)
    const parent = await open(dirname(folder), 'r')
    try {
      await parent.sync()
    } finally {
      await parent.close()
    }
    return restored
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** How an operator starts the restored server. */
export function startAdvice(folder: string, { base: { cluster } }: ClusterState): string {
  const settings = existsSync(join(folder, 'postgresql.conf'))
    ? ''
    : ' Its settings were outside of its files, as on Debian, and are not in the backup: start it with yours.'
  return `Start it: pg_ctl -D ${folder} start, with the programs of PostgreSQL ${cluster.release} and as the owner of the folder; then set ATRIUM_DATABASE_URL to its database ${cluster.database}.${settings}`
}
