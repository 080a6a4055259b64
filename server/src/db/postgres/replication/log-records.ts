/**
 * Finds the records of PostgreSQL's write-ahead log: where the last whole one ends, and the first commit after a moment. What
 * is in them stays the server's matter, which checks their checksums when it replays them. The form is the same in the
 * releases 15 to 18.
 *
 * The log consists of pages, each with a header; a record continues behind the header of the next page. A record begins at a
 * multiple of 8, and headers have multiples of 8, so records follow each other in the bytes between the headers.
 */

const short_header_bytes = 24
/** Of the first page of a file. */
const long_header_bytes = 40
const record_header_bytes = 24
const length_bytes = 4
/** The commit's time is among these bytes: behind the header come at most 7 for the origin, 5 for the transaction above, 5. */
const looked_at_bytes = record_header_bytes + 7 + 5 + 5 + 8

/** Flags of a page: it begins within a record; the record before it was never completed, because the server crashed. */
const within_record = 1
const record_given_up = 8

const rmgr_log = 0
const rmgr_transaction = 1
const log_switch = 0x40
const commits: readonly number[] = [0x00, 0x30]

const block_data_short = 255
const block_data_long = 254
const block_origin = 253
const block_top_transaction = 252

/** Milliseconds from 1970 to 2000, where PostgreSQL's clock begins. */
const epoch_ms = 946_684_800_000

/** The bytes are not a log of PostgreSQL; the message says where. */
export class BadLog extends Error {}

const aligned = (value: number) => value + ((8 - (value % 8)) % 8)

export class LogRecords {
  /** Bytes of a file of the log; 0 before the first page. */
  file_bytes = 0
  /** The end of the last whole record; behind the first page's header before that. */
  end = 0
  /** Where the first record of a commit after the moment begins; the end of the record before it is `end`. */
  isCut = false
  private readonly cutAfter: number
  private position: number
  private page_bytes = 8192
  private header: Buffer[] = []
  private headerBytes = 0
  /** Bytes until the next record begins. */
  private skip = 0
  /** The beginning of the present record. */
  private record: Buffer = Buffer.alloc(0)
  /** Of the present record, with its padding; 0 before its length is known. */
  private recordBytes = 0
  private recordSeen = 0
  private isFirst = true
  private isSwitched = false

  /** `position`: the beginning of a file. Stops before the first commit later than `cutAfter` (milliseconds). */
  constructor(position: number, cutAfter: number | null) {
    this.position = position
    this.cutAfter = cutAfter ?? Number.POSITIVE_INFINITY
  }

  /** Takes the bytes that follow. Throws BadLog. */
  take(bytes: Buffer): void {
    let rest = bytes
    while (rest.length > 0 && !this.isCut) {
      const isFile = this.file_bytes === 0 || this.position % this.file_bytes === 0
      const inPage = this.file_bytes === 0 ? 0 : this.position % this.page_bytes
      const header = (inPage === 0 || this.headerBytes > 0) && this.headerBytes < headerOf(isFile || this.isLong)
      const count = header ? headerOf(isFile || this.isLong) - this.headerBytes : this.page_bytes - inPage
      const piece = rest.subarray(0, count)
      if (header) this.takeHeader(piece, isFile)
      else this.takeRecords(piece)
      this.position += piece.length
      if (this.position % this.page_bytes === 0) this.headerBytes = 0
      rest = rest.subarray(piece.length)
    }
  }

  /** Whether the header that is being read is that of a file. */
  private isLong = false

  private takeHeader(piece: Buffer, isFile: boolean): void {
    if (this.headerBytes === 0) {
      this.header = []
      this.isLong = isFile
    }
    this.header.push(piece)
    this.headerBytes += piece.length
    if (this.headerBytes < headerOf(this.isLong)) return
    const header = Buffer.concat(this.header)
    const address = Number(header.readBigUInt64LE(8))
    const page = this.position + piece.length - header.length
    if (this.isLong) {
      this.file_bytes = header.readUInt32LE(32)
      this.page_bytes = header.readUInt32LE(36)
    }
    this.isLong = false
    // Behind a switch the rest of a file is empty.
    if (this.isSwitched && page % this.file_bytes !== 0) return
    if (address !== page) throw new BadLog(`a page of the log names the position ${address} and not ${page}`)
    const flags = header.readUInt16LE(2)
    if (this.isFirst) {
      if ((flags & within_record) !== 0) this.skip = aligned(header.readUInt32LE(16))
      this.end = page + header.length
      this.isFirst = false
    } else if ((flags & record_given_up) !== 0) {
      this.beginRecord()
      this.end = page + header.length
    }
    this.isSwitched = false
  }

  private beginRecord(): void {
    this.record = Buffer.alloc(0)
    this.recordBytes = 0
    this.recordSeen = 0
  }

  private takeRecords(piece: Buffer): void {
    let at = 0
    while (at < piece.length && !this.isSwitched && !this.isCut) {
      if (this.skip > 0) {
        const skipped = Math.min(this.skip, piece.length - at)
        this.skip -= skipped
        at += skipped
        continue
      }
      at += this.takeRecord(piece, at)
    }
  }

  /** Returns how many bytes belong to the present record. */
  private takeRecord(piece: Buffer, at: number): number {
    const left = piece.length - at
    // Its length is in the first 4 bytes, which may arrive in pieces.
    const wanted = this.recordBytes === 0 ? length_bytes : this.recordBytes
    const count = Math.min(left, wanted - this.recordSeen)
    if (this.record.length < looked_at_bytes)
      this.record = Buffer.concat([this.record, piece.subarray(at, at + Math.min(count, looked_at_bytes))])
    this.recordSeen += count
    if (this.recordSeen < wanted) return count
    if (this.recordBytes > 0) this.finishRecord(this.position + at + count)
    else {
      const length = this.record.readUInt32LE(0)
      if (length < record_header_bytes)
        throw new BadLog(`there is no record at ${this.position + at + count - length_bytes}`)
      this.recordBytes = aligned(length)
    }
    return count
  }

  private finishRecord(end: number): void {
    const { record } = this
    const [info, rmgr] = [record.readUInt8(16) & 0xf0, record.readUInt8(17)]
    if (rmgr === rmgr_transaction && commits.includes(info & 0x70)) {
      if (commitTime(record) > this.cutAfter) {
        this.isCut = true
        return
      }
    }
    this.isSwitched = rmgr === rmgr_log && info === log_switch
    this.end = this.isSwitched ? Math.ceil(end / this.file_bytes) * this.file_bytes : end
    this.beginRecord()
  }
}

const headerOf = (isFile: boolean) => (isFile ? long_header_bytes : short_header_bytes)

/** The time of a commit, in milliseconds. */
function commitTime(record: Buffer): number {
  let at = record_header_bytes
  for (;;) {
    const id = record.readUInt8(at++)
    if (id === block_origin) at += 2
    else if (id === block_top_transaction) at += 4
    else if (id === block_data_short) at += 1
    else if (id === block_data_long) at += 4
    else throw new BadLog('a commit has a form that is not known')
    if (id === block_data_short || id === block_data_long) break
  }
  return Number(record.readBigInt64LE(at)) / 1000 + epoch_ms
}
