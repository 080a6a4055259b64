/** A base of a PostgreSQL cluster: its base backup in parts, complete as soon as the log that it needs is stored. */
import { db_limits } from '../../limits.ts'
import { type BaseBackup, baseBackup } from '../../postgres/replication/base-backup.ts'
import { BaseGivenUp, BaseParts } from './base-copy.ts'
import type { Chain } from './chain.ts'
import type { Destination } from './destination.ts'
import type { Base, ClusterBase } from './layout.ts'
import type { BackupKey } from './object.ts'

export interface ServerBaseStart extends Pick<Base, 'chain' | 'at' | 'first'> {
  readonly cluster: Pick<ClusterBase, 'release' | 'system' | 'timeline' | 'database' | 'role'>
}

interface Copying {
  readonly url: string
  readonly destination: Destination
  readonly key: BackupKey | null
  readonly chain: Chain
  readonly isHeld: () => boolean
  /** Resolves when the log up to a position is stored; rejects with BaseGivenUp if the chain ends before. */
  readonly stored: (position: number) => Promise<void>
}

export async function copyServerBase(start: ServerBaseStart, copying: Copying): Promise<Base> {
  const { destination, key, chain, isHeld } = copying
  const parts = new BaseParts(destination, key, start.chain, start.at)
  const [made, bytes] = await copyParts(parts, copying)
  if (made.timeline !== start.cluster.timeline) throw new BaseGivenUp('the server has begun another timeline')
  await copying.stored(made.end)
  if (!isHeld()) throw new BaseGivenUp('the log is no longer followed')
  const { last, covered } = chain
  const ready = chain.moment(start.at)
  const { start: from, end, archive_bytes } = made
  const cluster: ClusterBase = { ...start.cluster, start: from, end, archive_bytes, ready }
  return await parts.finish({ kind: 'base', ...start, covered, last, bytes, parts: parts.sums, cluster })
}

async function copyParts(parts: BaseParts, { url, isHeld }: Copying): Promise<[made: BaseBackup, bytes: number]> {
  let [waiting, size, bytes] = [[] as Buffer[], 0, 0]
  const store = async () => {
    await parts.put(Buffer.concat(waiting))
    bytes += size
    ;[waiting, size] = [[], 0]
  }
  const backup: AsyncIterator<Buffer, BaseBackup> = baseBackup(url)
  try {
    for (;;) {
      if (!isHeld()) throw new BaseGivenUp('the log is no longer followed')
      const next = await backup.next()
      if (next.done === true) {
        if (size > 0) await store()
        return [next.value, bytes]
      }
      waiting.push(next.value)
      size += next.value.length
      if (size >= db_limits.follow_part_bytes) await store()
    }
  } finally {
    // Ends the connection of a backup that was given up.
    await backup.return?.()
  }
}
