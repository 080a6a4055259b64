/**
 * Writes the files of a PostgreSQL cluster at a moment: the base, compared with its manifest, and the log behind it, cut before
 * the first commit that is later. The cut needs no setting of the server: its recovery ends where the log ends.
 */
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { unpackTar } from 'modern-tar/fs'
import { file_mode, folder_mode } from '../../../lib/private-path.ts'
import { BadFiles, requireFiles } from '../../postgres/recovery/manifest.ts'
import { BadLog, LogRecords } from '../../postgres/replication/log-records.ts'
import { fileName, fileStart, showPosition } from '../../postgres/replication/positions.ts'
import type { Destination } from './destination.ts'
import { baseName, type ClusterBase, type ServerSegment } from './layout.ts'
import { BadDestination } from './marker.ts'
import type { BackupKey } from './object.ts'
import { basePieces, type ClusterState, linkedSegments, type Restored } from './state.ts'

export interface RestoredCluster extends Restored {
  /** The position at which the log ends: a recovery must come this far. */
  readonly end: number
}

/** `folder` is created. `at`: the moment in milliseconds on the server's clock; null for the newest. Rejects with BadDestination. */
export async function writeCluster(
  destination: Destination,
  key: BackupKey | null,
  { base, segments, behind, covered }: ClusterState,
  at: number | null,
  folder: string,
): Promise<RestoredCluster> {
  await mkdir(folder, { mode: folder_mode })
  const manifest = await unpackBase(destination, key, base, folder)
  await requireFiles(folder, manifest).catch((error) => {
    throw error instanceof BadFiles ? new BadDestination(`${baseName(base.chain, base.at)}: ${error.message}`) : error
  })
  const log = new LogFiles(join(folder, 'pg_wal'), base.cluster, at)
  let known = base.covered
  try {
    const entries = behind === null ? segments : [...segments, behind]
    for await (const { name, head, content } of linkedSegments<ServerSegment>(destination, key, base, entries)) {
      await log.take(name, head, content)
      if (name !== behind?.name) known = Math.max(known, head.covered)
    }
  } finally {
    await log.close()
  }
  const end = await log.finish()
  if (end < base.cluster.end)
    throw new BadDestination(
      `the log of chain ${base.chain} ends at ${showPosition(end)}, before its base is complete at ${showPosition(base.cluster.end)}`,
    )
  return {
    chain: base.chain,
    covered: Math.max(covered, known),
    base: base.at,
    segments: segments.length,
    bytes: base.cluster.archive_bytes + log.bytes,
    end,
  }
}

/** Returns the manifest, which follows the archive. */
async function unpackBase(
  destination: Destination,
  key: BackupKey | null,
  base: ClusterState['base'],
  folder: string,
): Promise<Buffer> {
  const manifest: Buffer[] = []
  let left = base.cluster.archive_bytes
  async function* archive() {
    for await (const piece of basePieces(destination, key, base)) {
      if (left > 0) yield piece.subarray(0, left)
      if (piece.length > left) manifest.push(piece.subarray(left))
      left = Math.max(0, left - piece.length)
    }
  }
  await pipeline(archive(), unpackTar(folder))
  return Buffer.concat(manifest)
}

/** Writes the log into files of the server's form. */
class LogFiles {
  bytes = 0
  private readonly folder: string
  private readonly cluster: ClusterBase
  private readonly at: number | null
  private records: LogRecords | null = null
  private position = 0
  private file: { readonly handle: FileHandle; readonly start: number } | null = null

  constructor(folder: string, cluster: ClusterBase, at: number | null) {
    this.folder = folder
    this.cluster = cluster
    this.at = at
  }

  async take(name: string, { server }: ServerSegment, content: Buffer): Promise<void> {
    const { system, timeline } = this.cluster
    if (server === undefined || server.system !== system || server.timeline !== timeline)
      throw new BadDestination(`${name} is of another cluster or timeline`)
    this.records ??= new LogRecords(server.from, this.at)
    if (this.position === 0) this.position = server.from
    if (server.from !== this.position || server.to !== server.from + content.length)
      throw new BadDestination(`${name} does not continue the log at ${showPosition(this.position)}`)
    try {
      this.records.take(content)
    } catch (error) {
      throw error instanceof BadLog ? new BadDestination(`${name}: ${error.message}`) : error
    }
    await this.write(content)
    this.position = server.to
  }

  private async write(content: Buffer): Promise<void> {
    const { file_bytes } = this.records as LogRecords
    for (let done = 0; done < content.length; ) {
      const at = this.position + done
      const handle = await this.fileAt(at, file_bytes)
      const piece = content.subarray(done, done + file_bytes - (at % file_bytes))
      await handle.write(piece, 0, piece.length, at % file_bytes)
      done += piece.length
    }
    this.bytes += content.length
  }

  private async fileAt(position: number, file_bytes: number): Promise<FileHandle> {
    const start = fileStart(position, file_bytes)
    if (this.file?.start === start) return this.file.handle
    await this.close()
    const path = join(this.folder, fileName(this.cluster.timeline, start, file_bytes))
    const handle = await open(path, 'a+', file_mode)
    await handle.truncate(file_bytes)
    await handle.close()
    this.file = { handle: await open(path, 'r+'), start }
    return this.file.handle
  }

  async close(): Promise<void> {
    await this.file?.handle.close()
    this.file = null
  }

  /** Empties the log behind its last whole record, and returns where that ends. */
  async finish(): Promise<number> {
    if (this.records === null) throw new BadDestination('the base has no log')
    const { end, file_bytes } = this.records
    for (let at = end; at < this.position; at = fileStart(at, file_bytes) + file_bytes) {
      const handle = await this.fileAt(at, file_bytes)
      await handle.truncate(at % file_bytes)
      await handle.truncate(file_bytes)
    }
    await this.close()
    return end
  }
}
