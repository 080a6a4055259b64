/** Where the commands of the continuous backup find it: a folder or a bucket, with the key of the environment. */
import { resolve } from 'node:path'
import { type Config, readBucketUrl } from '../config.ts'
import { type Destination, DestinationUnavailable, FolderDestination } from '../db/backup/follow/destination.ts'
import { BadDestination, requireMarker } from '../db/backup/follow/marker.ts'
import { BackupKey } from '../db/backup/follow/object.ts'
import { Failure } from './command.ts'
import { sentence } from './print.ts'

export interface OpenedDestination {
  readonly destination: Destination
  readonly key: BackupKey | null
}

/** Names the destination; contacts nothing. */
export async function nameDestination(config: Config, place: string): Promise<OpenedDestination> {
  const key = config.backupKey === null ? null : new BackupKey(config.backupKey)
  if (!place.startsWith('s3://')) return { destination: new FolderDestination(resolve(place)), key }
  const { BucketDestination } = await import('../files/bucket-destination.ts')
  return { destination: new BucketDestination(readBucketUrl('The destination', place)), key }
}

/** The same, for a destination that must hold a backup with this key. */
export async function openDestination(config: Config, place: string): Promise<OpenedDestination> {
  const opened = await nameDestination(config, place)
  const { destination, key } = opened
  if (await explaining(() => requireMarker(destination, key))) return opened
  throw new Failure(`${destination.place} holds no continuous backup. 'atrium backup --follow' writes one.`)
}

/** Runs `work`; what is wrong with a destination becomes one line. */
export async function explaining<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BadDestination) throw new Failure(sentence(error.message))
    if (error instanceof DestinationUnavailable)
      throw new Failure(sentence(`the destination cannot be used: ${error.message}`))
    throw error
  }
}
