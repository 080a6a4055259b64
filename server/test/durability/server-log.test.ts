/** Records of a made-up write-ahead log, in the form that a PostgreSQL server writes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BadLog, LogRecords } from '../../src/db/postgres/replication/log-records.ts'
import { refusal } from '../../src/db/postgres/replication/server.ts'

const page_bytes = 512
const file_bytes = 2048
const epoch_ms = 946_684_800_000

/** Writes records with the headers of pages between them. */
class MadeLog {
  readonly start: number
  private bytes: Buffer[] = []
  private length = 0
  /** Bytes of the present record that are still to be written. */
  private rest = 0

  constructor(start: number, rest = 0) {
    this.start = start
    this.rest = rest
  }

  get position(): number {
    return this.start + this.length
  }

  get all(): Buffer {
    return Buffer.concat(this.bytes)
  }

  private put(bytes: Buffer): void {
    this.bytes.push(bytes)
    this.length += bytes.length
  }

  header(flags = 0): void {
    const isFile = this.position % file_bytes === 0
    const header = Buffer.alloc(isFile ? 40 : 24)
    header.writeUInt16LE(flags | (this.rest > 0 ? 1 : 0), 2)
    header.writeBigUInt64LE(BigInt(this.position), 8)
    header.writeUInt32LE(this.rest, 16)
    if (isFile) {
      header.writeUInt32LE(file_bytes, 32)
      header.writeUInt32LE(page_bytes, 36)
    }
    this.put(header)
  }

  write(bytes: Buffer): void {
    this.rest = bytes.length
    for (let done = 0; done < bytes.length; ) {
      if (this.position % page_bytes === 0) this.header()
      const piece = bytes.subarray(done, done + page_bytes - (this.position % page_bytes))
      this.put(piece)
      done += piece.length
      this.rest = bytes.length - done
    }
    this.put(Buffer.alloc((8 - (this.position % 8)) % 8))
  }

  /** Returns where the record ends. */
  record(body: Buffer, { rmgr = 10, info = 0 } = {}): number {
    const head = Buffer.alloc(24)
    head.writeUInt32LE(24 + body.length, 0)
    head.writeUInt8(info, 16)
    head.writeUInt8(rmgr, 17)
    this.write(Buffer.concat([head, body]))
    return this.position
  }

  commit(at: number): number {
    const time = Buffer.alloc(8)
    time.writeBigInt64LE(BigInt((at - epoch_ms) * 1000))
    // The number of an origin, then 8 bytes of data.
    return this.record(Buffer.concat([Buffer.from([253, 1, 0, 255, 8]), time]), { rmgr: 1 })
  }
}

const log = () => {
  const made = new MadeLog(4 * file_bytes)
  made.header()
  return made
}

/** What is found in a log that arrives in pieces of `size`. */
function found(made: MadeLog, { cut = null as number | null, size = 1_000_000, start = made.start } = {}) {
  const records = new LogRecords(start, cut)
  for (let at = 0; at < made.all.length; at += size) records.take(made.all.subarray(at, at + size))
  return records
}

describe('The log of a PostgreSQL server', () => {
  it('ends with its last whole record, in whatever pieces it arrives', () => {
    const made = log()
    for (const bytes of [5, 700, 0, 3000, 33]) made.record(Buffer.alloc(bytes, 7))
    const { position: end } = made
    made.write(Buffer.from([100, 0, 0, 0, 1, 1]))
    for (const size of [1, 7, 24, 500, 1_000_000]) assert.equal(found(made, { size }).end, end)
    assert.equal(found(made).file_bytes, file_bytes)
  })

  it('may begin within a record of the file before', () => {
    const made = new MadeLog(file_bytes, 21)
    made.header()
    made.write(Buffer.alloc(21, 9))
    const end = made.record(Buffer.alloc(9))
    assert.equal(found(made).end, end)
  })

  it('continues behind a record that a crash left unfinished', () => {
    const made = log()
    made.record(Buffer.alloc(9))
    const half = Buffer.alloc(page_bytes - (made.position % page_bytes))
    half.writeUInt32LE(4000)
    made.write(half)
    made.header(8)
    const end = made.record(Buffer.alloc(9))
    assert.equal(found(made).end, end)
  })

  it('continues in the next file after a switch', () => {
    const made = log()
    made.record(Buffer.alloc(0), { rmgr: 0, info: 0x40 })
    made.write(Buffer.alloc(page_bytes - (made.position % page_bytes)))
    while (made.position % file_bytes !== 0) {
      made.header()
      made.write(Buffer.alloc(page_bytes - 24))
    }
    const { position: next } = made
    assert.equal(found(made).end, next)
    made.header()
    const end = made.record(Buffer.alloc(9))
    assert.equal(found(made).end, end)
  })

  it('is cut before the first commit that is later than a moment', () => {
    const made = log()
    const moment = 1_800_000_000_000
    made.record(Buffer.alloc(600))
    const end = made.commit(moment)
    made.commit(moment + 1)
    made.commit(moment)
    for (const size of [3, 1_000_000]) {
      const cut = found(made, { cut: moment, size })
      assert.deepEqual([cut.isCut, cut.end], [true, end])
    }
    assert.deepEqual([found(made).isCut, found(made).end], [false, made.position])
  })

  it('is refused where a page or a record is not in its place', () => {
    const made = log()
    made.record(Buffer.alloc(9))
    assert.throws(() => found(made, { start: made.start + file_bytes }), BadLog)
    made.write(Buffer.alloc(40))
    assert.throws(() => found(made), /there is no record at \d+/)
  })
})

describe('A PostgreSQL server', () => {
  const good = { version: '150004', shown: '15.4', wal_level: 'replica', synchronous: 's1, s2', standby: 'false' }
  const others: [about: Record<string, string>, reason: RegExp | null][] = [
    [{}, null],
    [{ wal_level: 'logical', synchronous: 'FIRST 1 (s1, "s*2")', version: '180001' }, null],
    [{ version: '140012', shown: '14.12' }, /its release is 14\.12\. Release 15 or later is needed\.$/],
    [{ citus: 'true' }, /has Citus, and each node of a cluster has a log of its own/],
    [{ standby: 'true' }, /is a standby\. Set ATRIUM_DATABASE_URL to the primary/],
    [{ wal_level: 'minimal' }, /its wal_level is minimal\. Set it to replica/],
    [{ synchronous: '*' }, /synchronous_standby_names is \*, so commits would wait for the follower/],
    [{ synchronous: 'ANY 1 (s1, *)' }, /Name the standbys/],
    [{ tablespaces: 'true' }, /has tablespaces outside of its data directory/],
  ]
  for (const [about, reason] of others)
    it(`with ${JSON.stringify(about)} ${reason === null ? 'is followed' : 'is refused, with the reason'}`, () => {
      const found = refusal({ ...good, ...about })
      if (reason === null) assert.equal(found, null)
      else assert.match(String(found), reason)
    })
})
