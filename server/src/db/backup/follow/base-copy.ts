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
  const parts = new BaseParts(destination, key, chain, at)
  for (let done = 0; done < bytes; done += db_limits.follow_part_bytes) {
    if (!isHeld()) throw new BaseGivenUp('the write-ahead log is no longer held')
    if (held.frames() * log_format.page_bytes > db_limits.follow_base_log_bytes_max)
      throw new BaseGivenUp('the write-ahead log has grown too large while the base was copied')
    await parts.put(held.readFile(done, Math.min(db_limits.follow_part_bytes, bytes - done)))
  }
  return await parts.finish({ kind: 'base', ...start, parts: parts.sums })
}

/** Stores the parts of a base, and at last the object that makes it complete. */
export class BaseParts {
  /** Hashes of the parts. */
  readonly sums: string[] = []
  private readonly destination: Destination
  private readonly key: BackupKey | null
  private readonly chain: string
  private readonly at: number

  constructor(destination: Destination, key: BackupKey | null, chain: string, at: number) {
    this.destination = destination
    this.key = key
    this.chain = chain
    this.at = at
  }

  async put(content: Buffer): Promise<void> {
    const { chain, at } = this
    const head: BasePart = { kind: 'base part', chain, at, number: this.sums.length + 1 }
    const made = await toObject(head, content, this.key)
    await this.destination.put(partName(baseFolder(chain, at), head.number), made.bytes)
    this.sums.push(made.sha256)
  }

  async finish(base: Base): Promise<Base> {
    const { bytes } = await toObject(base, Buffer.alloc(0), this.key)
    await this.destination.put(baseName(this.chain, this.at), bytes)
    return base
  }
}

/** The newest complete base of a chain; null without one. */
export async function newestBase(destination: Destination, chain: string, key: BackupKey | null): Promise<Base | null> {
  for (const at of await basesOf(destination, chain)) {
    const bytes = await destination.get(baseName(chain, at))
    const found = bytes === null ? null : await openObject<Base>(bytes, 'base', key).catch(() => null)
    if (found !== null) return found.head
  }
  return null
}
