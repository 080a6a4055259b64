/** Writes the SQLite database of a moment: the base, and over it the frames of the segments, each of which is checked. */
import { type FileHandle, open, rm } from 'node:fs/promises'
import { file_mode } from '../../../lib/private-path.ts'
import { checkFrames, isNextLog, isSameLog, type LogPlace, pagesIn, startOf } from '../../sqlite/log/frames.ts'
import type { Destination } from './destination.ts'
import { placeAfter } from './frames.ts'
import type { Base, Segment } from './layout.ts'
import { BadDestination } from './marker.ts'
import type { BackupKey } from './object.ts'
import { basePieces, linkedSegments, type Restored, type State } from './state.ts'

/** Writes the database of a state to a new file, durably. A refused one leaves no file. Rejects with BadDestination. */
export async function writeState(
  destination: Destination,
  key: BackupKey | null,
  { base, segments, covered }: State,
  path: string,
): Promise<Restored> {
  const file = await open(path, 'wx', file_mode)
  try {
    await writeBase(destination, key, base, file)
    const applied = new AppliedSegments(base, file)
    for await (const { name, head, content } of linkedSegments<Segment>(destination, key, base, segments))
      await applied.take(name, head, content)
    await applied.finish()
    await file.sync()
    const { size } = await file.stat()
    return {
      chain: base.chain,
      covered: Math.max(covered, applied.covered),
      base: base.at,
      segments: segments.length,
      bytes: size,
    }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

async function writeBase(destination: Destination, key: BackupKey | null, base: Base, file: FileHandle): Promise<void> {
  let written = 0
  for await (const content of basePieces(destination, key, base)) {
    await writeAll(file, content, written)
    written += content.length
  }
}

/** Writes the frames of segments into the database, whole commits only. */
class AppliedSegments {
  /** Milliseconds. */
  covered: number
  private readonly file: FileHandle
  private place: LogPlace | null = null
  private readonly waiting: { readonly content: Buffer; readonly header: LogPlace['header'] }[] = []

  constructor(base: Base, file: FileHandle) {
    this.file = file
    this.covered = base.covered
  }

  async take(name: string, segment: Segment, content: Buffer): Promise<void> {
    const after = placeAfter(segment)
    const from = after === null ? null : this.startFor(segment, after)
    const checked = from === null ? null : checkFrames(content, from)
    if (checked === null || checked.after.frame !== segment.to || checked.pages !== segment.pages)
      throw new BadDestination(`${name} does not continue the write-ahead log`)
    this.place = checked.after
    this.waiting.push({ content, header: checked.after.header })
    if (checked.pages > 0) await this.commit(checked.pages, segment.covered)
  }

  /** The place before a segment's frames; null if it does not follow. */
  private startFor({ from }: Segment, { header }: LogPlace): LogPlace | null {
    const { place } = this
    if (place !== null && isSameLog(place.header, header)) return place.frame === from ? place : null
    // A base begins with the first segment of a log. After an empty log any other one may follow.
    const isNext = place === null || isNextLog(place.header, header)
    return isNext && from === 0 ? startOf(header) : null
  }

  private async commit(pages: number, covered: number): Promise<void> {
    for (const { content, header } of this.waiting.splice(0)) {
      for (const [number, page] of pagesIn(content, header)) {
        if (number <= pages) await writeAll(this.file, page, (number - 1) * header.page_bytes)
      }
      this.size = pages * header.page_bytes
    }
    this.covered = Math.max(this.covered, covered)
  }

  private size: number | null = null

  /** Cuts the file to the size of the database after the last commit. */
  async finish(): Promise<void> {
    if (this.size !== null) await this.file.truncate(this.size)
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
}
