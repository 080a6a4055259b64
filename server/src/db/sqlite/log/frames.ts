/**
 * Frames of a write-ahead log outside SQLite, as a continuous backup copies and applies them. A frame counts only if it has
 * the salts of its log and its checksum continues that of the frame before, so that nothing is taken for a commit that is
 * not one.
 */
import { log_format, type Sum, sumOf, wordsOf } from './sums.ts'

const { header_bytes, frame_head_bytes, page_bytes_min, page_bytes_max } = log_format

/** What the header of a log says. A log that starts over gets the next first salt, and a random second one. */
export interface LogHeader {
  readonly bytes: Buffer
  readonly magic: number
  readonly page_bytes: number
  /** The first of two. */
  readonly salt: number
  readonly sum: Sum
}

/** A place between two frames. `sum` is the checksum of the last frame before it, or of the header. */
export interface LogPlace {
  readonly header: LogHeader
  /** Frames before this place. */
  readonly frame: number
  readonly sum: Sum
}

/** The header in the first bytes of a log; null for anything else. */
export function readLogHeader(bytes: Buffer): LogHeader | null {
  if (bytes.length < header_bytes) return null
  const header = Buffer.from(bytes.subarray(0, header_bytes))
  const magic = header.readUInt32BE(0)
  const page_bytes = header.readUInt32BE(8)
  if (magic !== log_format.magic_little && magic !== log_format.magic_big) return null
  if (page_bytes < page_bytes_min || page_bytes > page_bytes_max || (page_bytes & (page_bytes - 1)) !== 0) return null
  const sum = sumOf(wordsOf(header.subarray(0, 24), magic), { first: 0, second: 0 })
  if (sum.first !== header.readInt32BE(24) || sum.second !== header.readInt32BE(28)) return null
  return { bytes: header, magic, page_bytes, salt: header.readUInt32BE(16), sum }
}

/** The place before the first frame. */
export function startOf(header: LogHeader): LogPlace {
  return { header, frame: 0, sum: header.sum }
}

export function isSameLog(one: LogHeader, other: LogHeader): boolean {
  return one.bytes.equals(other.bytes)
}

/**
 * Whether a log is the next one after another. The header also has a number of checkpoints, but each connection counts its
 * own: only the salt is counted by all of them.
 */
export function isNextLog(before: LogHeader, after: LogHeader): boolean {
  return after.salt === (before.salt + 1) >>> 0 && after.page_bytes === before.page_bytes
}

export function frameBytes({ page_bytes }: Pick<LogHeader, 'page_bytes'>): number {
  return frame_head_bytes + page_bytes
}

/** Where a frame begins in the file of its log; the first is number 0. */
export function frameAt(header: LogHeader, frame: number): number {
  return header_bytes + frame * frameBytes(header)
}

export interface CheckedFrames {
  /** The place after the frames. */
  readonly after: LogPlace
  /** Pages of the database after the commit that the last frame ends; 0 if it ends none. */
  readonly pages: number
}

/** Checks whole frames that follow a place; null if one of them does not continue the log. */
export function checkFrames(bytes: Buffer, { header, frame, sum }: LogPlace): CheckedFrames | null {
  const size = frameBytes(header)
  if (bytes.length % size !== 0) return null
  let last = sum
  let pages = 0
  for (let at = 0; at < bytes.length; at += size) {
    const head = bytes.subarray(at, at + frame_head_bytes)
    if (head.readUInt32BE(0) === 0 || !head.subarray(8, 16).equals(header.bytes.subarray(16, 24))) return null
    const page = bytes.subarray(at + frame_head_bytes, at + size)
    last = sumOf(wordsOf(page, header.magic), sumOf(wordsOf(head.subarray(0, 8), header.magic), last))
    if (last.first !== head.readInt32BE(16) || last.second !== head.readInt32BE(20)) return null
    pages = head.readUInt32BE(4)
  }
  return { after: { header, frame: frame + bytes.length / size, sum: last }, pages }
}

/** The pages in checked frames, with their numbers from 1. */
export function* pagesIn(bytes: Buffer, header: LogHeader): Generator<readonly [number: number, page: Buffer]> {
  const size = frameBytes(header)
  for (let at = 0; at < bytes.length; at += size)
    yield [bytes.readUInt32BE(at), bytes.subarray(at + frame_head_bytes, at + size)]
}
