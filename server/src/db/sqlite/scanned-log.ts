/**
 * Reads a write-ahead log like SQLite's recovery, and continues where SQLite stops. A log may end in incomplete frames:
 * a power failure keeps any part of the newest transaction, which was not acknowledged. But frames follow a commit only
 * after a sync has written it to disk, so a bad frame before such a commit is damage, and SQLite would silently drop
 * the commits after it.
 *
 * The checksum of a frame is linear in its bits and continues that of the frame before, so a single flipped bit can be
 * found.
 */
import { log_format, type Sum, sumOf, wordsOf } from './log/sums.ts'
import { repairFrame, repairHeader } from './repaired-log.ts'

/** Bytes to write into the log's file. */
interface Repair {
  readonly at: number
  readonly bytes: Buffer
}

export interface LogScan {
  /** Bytes of the header and of the frames up to the last commit before the first bad frame; 0: nothing is usable. */
  readonly good_bytes: number
  readonly good_frames: number
  /** Each corrects one flipped bit, or the header. */
  readonly repairs: readonly Repair[]
  /** The first frame that is bad and cannot be repaired, counted from 1; null: the log is complete. */
  readonly bad_frame: number | null
  /** True if a power failure does not explain the bad frame. */
  readonly isDamaged: boolean
  /** Commits recognized from the bad frame on. */
  readonly commits_behind: number
}

/** Access to the bytes of a log. `read` returns fewer bytes at its end. */
export interface LogBytes {
  readonly size: number
  read(at: number, length: number): Buffer
}

const { header_bytes, frame_head_bytes, page_bytes_min, page_bytes_max } = log_format

interface Frame {
  readonly bytes: Buffer
  readonly salts: Buffer
  readonly sum: Sum
  readonly page: number
  /** Pages in the database after the commit that this frame ends; 0 for other frames. */
  readonly commit: number
}

function frameOf(bytes: Buffer): Frame {
  return {
    bytes,
    salts: bytes.subarray(8, 16),
    sum: { first: bytes.readInt32BE(16), second: bytes.readInt32BE(20) },
    page: bytes.readUInt32BE(0),
    commit: bytes.readUInt32BE(4),
  }
}

const empty: LogScan = {
  good_bytes: 0,
  good_frames: 0,
  repairs: [],
  bad_frame: null,
  isDamaged: false,
  commits_behind: 0,
}

/** Scans a log. */
export function scanLog(log: LogBytes): LogScan {
  if (log.size < header_bytes + frame_head_bytes) return empty
  const found = log.read(0, header_bytes)
  const isFound = isHeader(found)
  const header = isFound ? found : headerOf(log)
  const frame_bytes = frame_head_bytes + (header?.readUInt32BE(8) ?? log_format.page_bytes)
  const count = Math.floor((log.size - header_bytes) / frame_bytes)
  if (count < 1) return empty
  if (header !== null) {
    const scan = new Scan(log, frame_bytes, count, header)
    if (!isFound) scan.repairs.push({ at: 0, bytes: header })
    return scan.run()
  }
  // The first frame may be the damaged one, so the salts are taken from the second.
  const second = log.read(header_bytes + Math.min(1, count - 1) * frame_bytes, frame_head_bytes)
  second.copy(found, 16, 8, 16)
  return new Scan(log, frame_bytes, count, found).behind(0)
}

/** The header reconstructed from the first frame, for any page size. */
function headerOf(log: LogBytes): Buffer | null {
  for (let page_bytes = page_bytes_min; page_bytes <= page_bytes_max; page_bytes *= 2) {
    const frame = log.read(header_bytes, frame_head_bytes + page_bytes)
    const header = frame.length < frame_head_bytes + page_bytes ? null : repairHeader(frame)
    if (header !== null) return header
  }
  return null
}

function isHeader(header: Buffer): boolean {
  const magic = header.readUInt32BE(0)
  const page_bytes = header.readUInt32BE(8)
  if (magic !== log_format.magic_little && magic !== log_format.magic_big) return false
  if (page_bytes < page_bytes_min || page_bytes > page_bytes_max || (page_bytes & (page_bytes - 1)) !== 0) return false
  const sum = sumOf(wordsOf(header.subarray(0, 24), magic), { first: 0, second: 0 })
  return sum.first === header.readInt32BE(24) && sum.second === header.readInt32BE(28)
}

class Scan {
  readonly repairs: Repair[] = []
  private readonly log: LogBytes
  private readonly frame_bytes: number
  private readonly count: number
  private readonly magic: number
  private readonly salts: Buffer
  private readonly start: Sum
  private good = 0
  private piece: Buffer = Buffer.alloc(0)
  private from = 0

  constructor(log: LogBytes, frame_bytes: number, count: number, header: Buffer) {
    this.log = log
    this.frame_bytes = frame_bytes
    this.count = count
    this.magic = header.readUInt32BE(0) === log_format.magic_big ? log_format.magic_big : log_format.magic_little
    this.salts = header.subarray(16, 24)
    this.start = { first: header.readInt32BE(24), second: header.readInt32BE(28) }
  }

  private at(frame: number): number {
    return header_bytes + frame * this.frame_bytes
  }

  private frame(number: number): Frame {
    if (number < this.from || (number - this.from + 1) * this.frame_bytes > this.piece.length) {
      this.piece = this.log.read(this.at(number), this.frame_bytes * log_format.piece_frames)
      this.from = number
    }
    const start = (number - this.from) * this.frame_bytes
    return frameOf(this.piece.subarray(start, start + this.frame_bytes))
  }

  /** The checksum of a frame's bytes, continuing `before`. */
  private summed(frame: Frame, before: Sum): Sum {
    const head = sumOf(wordsOf(frame.bytes.subarray(0, 8), this.magic), before)
    return sumOf(wordsOf(frame.bytes.subarray(frame_head_bytes), this.magic), head)
  }

  private isRight(frame: Frame, before: Sum): boolean {
    if (frame.page === 0 || !frame.salts.equals(this.salts)) return false
    return isEqual(this.summed(frame, before), frame.sum)
  }

  /** Whether the log has a frame with this number, and it continues a checksum. */
  private continues(number: number, before: Sum): boolean {
    return number < this.count && this.isRight(this.frame(number), before)
  }

  run(): LogScan {
    let sum = this.start
    for (let number = 0; number < this.count; number++) {
      let frame: Frame = this.frame(number)
      if (!this.isRight(frame, sum)) {
        const continues = (before: Sum) => this.continues(number + 1, before)
        const repaired = repairFrame(frame.bytes, this.salts, sum, this.magic, continues)
        if (repaired === null || repaired === 'ambiguous') return this.behind(number, repaired === 'ambiguous')
        if (this.repairs.length === log_format.repairs_max) return this.behind(number, true)
        this.repairs.push({ at: this.at(number), bytes: repaired })
        frame = frameOf(repaired)
      }
      sum = frame.sum
      if (frame.commit !== 0) this.good = number + 1
    }
    return this.result(null, false, 0)
  }

  /**
   * Looks for commits from a bad frame on. A commit followed by a frame that continues its checksum was synced before
   * that frame was written. Leftovers of an older log or of a rolled-back transaction contain no such frame.
   */
  behind(bad: number, isFlipped = false): LogScan {
    let before: Frame | null = null
    let isDamaged = isFlipped
    let commits = 0
    for (let number = bad; number < this.count; number++) {
      const frame = this.frame(number)
      const isCurrent = frame.salts.equals(this.salts)
      if (isCurrent && frame.commit !== 0) commits++
      if (isCurrent && before !== null && before.commit !== 0 && !isDamaged) {
        isDamaged = before.salts.equals(this.salts) && isEqual(this.summed(frame, before.sum), frame.sum)
      }
      before = frame
    }
    return this.result(bad + 1, isDamaged, commits)
  }

  private result(bad_frame: number | null, isDamaged: boolean, commits_behind: number): LogScan {
    const good_bytes = this.good === 0 ? 0 : this.at(this.good)
    return { good_bytes, good_frames: this.good, repairs: this.repairs, bad_frame, isDamaged, commits_behind }
  }
}

function isEqual(one: Sum, other: Sum): boolean {
  return one.first === other.first && one.second === other.second
}
