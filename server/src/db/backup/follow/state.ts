/**
 * Restores a database from a continuous backup: the newest base at or before a moment, and the segments behind it up to that
 * moment. Every object is checked, the links of the chain, and every frame of the log; a missing, damaged or exchanged one is
 * refused by its name.
 */
import { type FileHandle, open, rm } from 'node:fs/promises'
import { file_mode } from '../../../lib/private-path.ts'
import { db_limits } from '../../limits.ts'
import { checkFrames, isNextLog, isSameLog, type LogPlace, pagesIn, startOf } from '../../sqlite/log/frames.ts'
import { placeAfter, readHead } from './chain.ts'
import type { Destination } from './destination.ts'
import {
  type Base,
  type BasePart,
  baseFolder,
  baseName,
  basesOf,
  chainsOf,
  logFolder,
  partName,
  type Segment,
  type SegmentEntry,
  segmentFolder,
  segmentFolders,
  segmentsIn,
} from './layout.ts'
import { BadDestination, openNamed } from './marker.ts'
import type { BackupKey } from './object.ts'

/** A moment that can be restored. */
export interface State {
  readonly base: Base
  readonly segments: readonly SegmentEntry[]
  /** Milliseconds: up to then, nothing was committed behind the last segment; 0 if the head does not say. */
  readonly covered: number
}

export interface Restored {
  readonly chain: string
  /** Milliseconds: it has all commits made by then. */
  readonly covered: number
  readonly base: number
  readonly segments: number
  readonly bytes: number
}

/** Finds the newest state at or before `at` (milliseconds); null means the newest of all. Rejects with BadDestination. */
export async function findState(destination: Destination, key: BackupKey | null, at: number | null): Promise<State> {
  let earliest: number | null = null
  for (const chain of await chainsOf(destination)) {
    for (const moment of await basesOf(destination, chain)) {
      const name = baseName(chain, moment)
      const bytes = await destination.get(name)
      if (bytes === null) continue
      earliest = moment
      if (at !== null && moment > at) continue
      const { head } = await openNamed<Base>(bytes, name, 'base', key)
      if (head.chain !== chain || head.at !== moment) throw new BadDestination(`${name} is another base`)
      return await completeState(destination, key, head, at)
    }
  }
  const first = earliest === null ? 'it has no complete base' : `its first moment is ${shown(earliest)}`
  throw new BadDestination(
    `${destination.place} cannot restore ${at === null ? 'anything' : `the state at ${shown(at)}`}: ${first}`,
  )
}

const shown = (at: number) => new Date(at).toISOString()

async function completeState(destination: Destination, key: BackupKey | null, base: Base, at: number | null) {
  const { chain, first, last } = base
  const head = await readHead(destination, chain, key)
  const found: SegmentEntry[] = []
  for (const folder of await segmentFolders(destination, chain)) {
    if (folder >= segmentFolder(first.number)) found.push(...(await segmentsIn(destination, chain, folder)))
  }
  const entries = found.filter(({ number }) => number >= first.number)
  const used = entries.filter(({ until }) => at === null || until <= at)
  const missing = (number: number) =>
    new BadDestination(`segment ${number} is missing in ${logFolder(chain)} of ${destination.place}`)
  for (const [i, { number, name }] of used.entries()) {
    if (number < first.number + i) throw new BadDestination(`${name} has the number of another segment`)
    if (number > first.number + i) throw missing(first.number + i)
  }
  // What is said to be there must be there, and what comes after the moment must follow.
  const next = first.number + used.length
  const isSaid = head !== null && (at === null || head.until <= at) && head.number >= next
  const behind = entries.find(({ until }) => at !== null && until > at)
  if (last >= next || isSaid || (behind !== undefined && behind.number !== next)) throw missing(next)
  const isHead = head !== null && head.number < next
  return { base, segments: used, covered: isHead ? Math.min(head.covered, at ?? head.covered) : 0 }
}

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
    for await (const { name, bytes } of readAhead(destination, segments)) {
      const { head, content, sha256 } = await openNamed<Segment>(bytes, name, 'segment', key)
      await applied.take(name, head, content, sha256)
    }
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
  const { chain, at, parts } = base
  let written = 0
  for (const [i, sum] of parts.entries()) {
    const name = partName(baseFolder(chain, at), i + 1)
    const bytes = await destination.get(name)
    if (bytes === null) throw new BadDestination(`${name} is missing`)
    const { head, content, sha256 } = await openNamed<BasePart>(bytes, name, 'base part', key)
    const isOwn = head.chain === chain && head.at === at && head.number === i + 1 && sha256 === sum
    if (!isOwn) throw new BadDestination(`${name} is not the part that the base was made of`)
    await writeAll(file, content, written)
    written += content.length
  }
  if (written !== base.bytes) throw new BadDestination(`${baseName(chain, at)} has ${written} of ${base.bytes} bytes`)
}

/** Writes the frames of segments into the database, whole commits only. */
class AppliedSegments {
  /** Milliseconds. */
  covered: number
  private readonly base: Base
  private readonly file: FileHandle
  private number: number
  private previous: string | null
  private place: LogPlace | null = null
  private readonly waiting: { readonly content: Buffer; readonly header: LogPlace['header'] }[] = []

  constructor(base: Base, file: FileHandle) {
    this.base = base
    this.file = file
    this.number = base.first.number
    this.previous = base.first.previous
    this.covered = base.covered
  }

  async take(name: string, segment: Segment, content: Buffer, sha256: string): Promise<void> {
    const isNext = segment.number === this.number && segment.chain === this.base.chain
    if (!isNext) throw new BadDestination(`${name} is segment ${segment.number} of chain ${segment.chain}`)
    if (segment.previous !== this.previous) throw new BadDestination(`${name} does not continue the segment before`)
    const after = placeAfter(segment)
    const from = after === null ? null : this.startFor(segment, after)
    const checked = from === null ? null : checkFrames(content, from)
    if (checked === null || checked.after.frame !== segment.to || checked.pages !== segment.pages)
      throw new BadDestination(`${name} does not continue the write-ahead log`)
    this.place = checked.after
    this.number++
    this.previous = sha256
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

/** The objects of segments in order; a few are read ahead. */
async function* readAhead(destination: Destination, entries: readonly SegmentEntry[]) {
  const reading: { readonly name: string; readonly bytes: Promise<Buffer | null> }[] = []
  for (let next = 0; next < entries.length || reading.length > 0; ) {
    while (reading.length < db_limits.follow_read_ahead && next < entries.length) {
      const { name } = entries[next++] as SegmentEntry
      const bytes = destination.get(name)
      // A failure is thrown when its turn comes.
      bytes.catch(() => {})
      reading.push({ name, bytes })
    }
    const { name, bytes } = reading.shift() as (typeof reading)[number]
    const read = await bytes
    if (read === null) throw new BadDestination(`${name} is missing`)
    yield { name, bytes: read }
  }
}
