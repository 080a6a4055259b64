/**
 * A base: the database file as it is while a read transaction is held. Checkpoints may write to it meanwhile, but only pages
 * that are in the segments of the log that belong to the base, so that these complete it whatever the copy caught.
 */
import { db_limits } from '../../limits.ts'
import type { HeldLog } from '../../sqlite/held-log.ts'
import { log_format } from '../../sqlite/log/sums.ts'
import type { Destination } from './destination.ts'
import { type Base, type BasePart, baseFolder, baseName, basesOf, partName } from './layout.ts'
import { type BackupKey, openObject, toObject } from './object.ts'

/** A base was given up: the log has grown too large meanwhile, or is no longer held. */
export class BaseGivenUp extends Error {}

export interface BaseStart extends Pick<Base, 'chain' | 'at' | 'covered' | 'first' | 'last'> {
  /** Bytes of the database file. */
  readonly bytes: number
}

/** Copies a base under a read transaction that is held until this resolves. `isHeld` is asked before each part. */
export async function copyBase(
  held: HeldLog,
  start: BaseStart,
  { destination, key, isHeld }: { destination: Destination; key: BackupKey | null; isHeld: () => boolean },
): Promise<Base> {
  const { chain, at, bytes } = start
  const folder = baseFolder(chain, at)
  const parts: string[] = []
  for (let done = 0; done < bytes; done += db_limits.follow_part_bytes) {
    if (!isHeld()) throw new BaseGivenUp('the write-ahead log is no longer held')
    if (held.frames() * log_format.page_bytes > db_limits.follow_base_log_bytes_max)
      throw new BaseGivenUp('the write-ahead log has grown too large while the base was copied')
    const content = held.readFile(done, Math.min(db_limits.follow_part_bytes, bytes - done))
    const head: BasePart = { kind: 'base part', chain, at, number: parts.length + 1 }
    const made = await toObject(head, content, key)
    await destination.put(partName(folder, head.number), made.bytes)
    parts.push(made.sha256)
  }
  const made: Base = { kind: 'base', ...start, parts }
  await destination.put(baseName(chain, at), (await toObject(made, Buffer.alloc(0), key)).bytes)
  return made
}

/** The moment of the newest complete base of a chain; null without one. */
export async function newestBase(destination: Destination, chain: string, key: BackupKey | null) {
  for (const at of await basesOf(destination, chain)) {
    const bytes = await destination.get(baseName(chain, at))
    const found = bytes === null ? null : await openObject<Base>(bytes, 'base', key).catch(() => null)
    if (found !== null) return found.head.at
  }
  return null
}
