/** A damaged write-ahead log: no acknowledged write is lost silently. */
import assert from 'node:assert/strict'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { rawQuery } from '../../src/db/query.ts'
import { cutLogs } from '../../src/db/sqlite/checked-log.ts'
import { scanLog } from '../../src/db/sqlite/scanned-log.ts'
import { SqliteStore } from '../../src/db/sqlite/store.ts'
import { DamagedDatabase } from '../../src/db/store.ts'

const count = rawQuery(() => sql<{ count: number }>`select count(*) as count from rows`)
const page_bytes = 4096
const frame_bytes = 24 + page_bytes
const commits = 12

/** The files of a process that was killed. */
interface Image {
  readonly database: Buffer
  readonly log: Buffer
}

describe('A write-ahead log that a killed process has left', () => {
  let folder: string
  let image: Image
  let copies = 0
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-damaged-log-'))
    image = written((database) => {
      for (let i = 0; i < commits; i++) insert(database)
    })
  })
  after(() => rmSync(folder, { recursive: true }))

  /** One commit of this many rows. */
  function insert(database: DatabaseSync, rows = 1): void {
    database.exec('begin')
    for (let i = 0; i < rows; i++) database.exec(`insert into rows (text) values ('${'x'.repeat(3000)}')`)
    database.exec('commit')
  }

  function written(write: (database: DatabaseSync) => void): Image {
    const file = join(folder, `${copies++}.db`)
    const database = new DatabaseSync(file)
    database.exec('pragma journal_mode=wal; pragma synchronous=full; pragma wal_autocheckpoint=0;')
    database.exec('create table rows (id integer primary key, text text not null)')
    write(database)
    const files = { database: readFileSync(file), log: readFileSync(`${file}-wal`) }
    database.close()
    return files
  }

  function copyOf({ database, log }: Image): string {
    mkdirSync(join(folder, `${copies}`))
    const file = join(folder, `${copies++}`, 'atrium.db')
    writeFileSync(file, database)
    writeFileSync(`${file}-wal`, log)
    return file
  }

  const changed = (change: (log: Buffer) => void, { database, log }: Image = image): Image => {
    const other = Buffer.from(log)
    change(other)
    return { database, log: other }
  }

  /** The number of rows that a store shows, or that it refuses to open, with its findings. */
  async function opened(file: string): Promise<{ rows: number | 'refused'; said: string }> {
    try {
      const store = new SqliteStore(file)
      try {
        const { count: rows } = (await store.reader('system').first(count)) as { count: number }
        await store.check()
        return { rows, said: store.findings.map(({ level, message }) => `${level}: ${message}`).join('\n') }
      } finally {
        await store.close()
      }
    } catch (error) {
      assert.ok(error instanceof DamagedDatabase, String(error))
      return { rows: 'refused', said: error.message }
    }
  }

  const frames = () => (image.log.length - 32) / frame_bytes
  const at = (frame: number, byte: number) => 32 + frame * frame_bytes + byte

  it('is opened without a finding if it is undamaged', async () => {
    assert.deepEqual(await opened(copyOf(image)), { rows: commits, said: '' })
  })

  it('has a flipped bit corrected, or prevents the start if several bits explain the same checksum', async () => {
    const places = [
      ...[0, 5, 9, 14, 17, 20, 25, 30].map((byte) => ['header', byte] as const),
      ...[0, 1, Math.floor(frames() / 2), frames() - 1].flatMap((frame) =>
        [2, 6, 9, 14, 17, 22, 24, 30, 2000, frame_bytes - 1].map(
          (byte) => [`frame ${frame}`, at(frame, byte)] as const,
        ),
      ),
    ]
    let corrected = 0
    for (const [region, place] of places) {
      for (const bit of [0, 6]) {
        const file = copyOf(changed((log) => log.writeUInt8(log.readUInt8(place) ^ (1 << bit), place)))
        const { rows, said } = await opened(file)
        assert.ok(rows === commits || rows === 'refused', `${region}, byte ${place}, bit ${bit}: ${rows} rows`)
        if (rows === 'refused') assert.match(said, /^The write-ahead log \S+atrium\.db-wal is damaged: frame \d+ /)
        else {
          corrected++
          assert.match(said, /^error: the write-ahead log had a flipped bit/)
          assert.deepEqual(await opened(file), { rows: commits, said: '' }, 'the correction stays')
        }
      }
    }
    assert.ok(corrected > places.length, `${corrected} of ${2 * places.length}`)
  })

  it('is corrected to the bytes that were written, whichever bit was flipped, or not at all', () => {
    // The highest bits of words, the last words of pages and the checksums explain each other's differences.
    const bytes = [3, 7, 16, 19, 20, 23, 24, 27, 1003, 4000, frame_bytes - 8, frame_bytes - 4, frame_bytes - 1]
    const outcomes = new Map<string, number>()
    for (let frame = 0; frame < frames(); frame++) {
      for (const byte of bytes) {
        for (let bit = 0; bit < 8; bit++) {
          const place = at(frame, byte)
          const { log } = changed((all) => all.writeUInt8(all.readUInt8(place) ^ (1 << bit), place))
          const scan = scanLog({ size: log.length, read: (from, length) => log.subarray(from, from + length) })
          for (const repair of scan.repairs) repair.bytes.copy(log, repair.at)
          const isAsWritten = log.equals(image.log)
          const what = `frame ${frame}, byte ${byte}, bit ${bit}`
          assert.ok(isAsWritten || scan.bad_frame !== null, `${what} was corrected to other bytes`)
          assert.ok(isAsWritten || scan.isDamaged, `${what} is no damage`)
          const outcome = isAsWritten ? 'corrected' : 'refused'
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        }
      }
    }
    assert.ok((outcomes.get('corrected') ?? 0) > 2 * (outcomes.get('refused') ?? 0), JSON.stringify([...outcomes]))
  })

  it('prevents the start if a whole sector was lost before the newest commit, and the message counts the commits after it', async () => {
    for (const frame of [0, 3, frames() - 4]) {
      const file = copyOf(changed((log) => log.fill(0xee, at(frame, 512), at(frame, 1024))))
      const before = readFileSync(`${file}-wal`)
      const { rows, said } = await opened(file)
      assert.equal(rows, 'refused', `frame ${frame}`)
      assert.match(
        said,
        new RegExp(`damaged: frame ${frame + 1} .* and \\d+ commits? .*'atrium restore'.*'atrium log cut'`),
      )
      assert.deepEqual(readFileSync(`${file}-wal`), before, 'the log is left as it was')
    }
    assert.equal(
      (await opened(copyOf(changed((log) => log.fill(0xee, 0, at(0, 512)))))).rows,
      'refused',
      'its beginning',
    )
  })

  it('prevents the start if pages after the bad frame are already in the database', async () => {
    const copied = written((database) => {
      for (let i = 0; i < commits; i++) insert(database)
      database.exec('pragma wal_checkpoint(passive)')
    })
    assert.equal(
      (await opened(copyOf(changed((log) => log.fill(0xee, at(4, 100), at(4, 300)), copied)))).rows,
      'refused',
    )
  })

  it('is cut by the operator before the damage, and a copy is kept', async () => {
    const file = copyOf(changed((log) => log.fill(0xee, at(frames() - 4, 512), at(frames() - 4, 1024))))
    const damaged = readFileSync(`${file}-wal`)
    const [cut, ...others] = cutLogs(file, 7)
    assert.deepEqual(others, [])
    assert.equal(cut?.copy, `${file}-wal-damaged-7`)
    assert.deepEqual(readFileSync(cut.copy), damaged)
    assert.equal(statSync(cut.copy).mode & 0o777, 0o600)
    const { rows, said } = await opened(file)
    assert.ok(Number(rows) < commits && Number(rows) > commits - 5, `${rows} rows`)
    assert.equal(said, '')
    assert.deepEqual(cutLogs(file, 8), [])
  })

  it('is not cut while another process uses the database', async () => {
    const file = copyOf(image)
    const other = new DatabaseSync(file)
    other.prepare('select count(*) from rows').get()
    writeFileSync(`${file}-wal`, changed((log) => log.fill(0xee, at(4, 512), at(4, 1024))).log)
    assert.throws(() => cutLogs(file, 7), /another process uses \S+atrium\.db: stop it first/)
    other.close()
    assert.ok(!readdirSync(join(file, '..')).some((name) => name.includes('damaged')))
  })
})

describe('A write-ahead log that a power failure has left', () => {
  let folder: string
  let copies = 0
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-torn-log-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  function create(): { file: string; database: DatabaseSync } {
    const folder_of = join(folder, `${copies++}`)
    mkdirSync(folder_of)
    const file = join(folder_of, 'atrium.db')
    const database = new DatabaseSync(file)
    database.exec(
      'pragma journal_mode=wal; pragma synchronous=full; pragma wal_autocheckpoint=0; pragma cache_size=10;',
    )
    database.exec('create table rows (id integer primary key, text text not null)')
    return { file, database }
  }

  function insert(database: DatabaseSync, rows: number, end: 'commit' | 'rollback' = 'commit'): void {
    database.exec('begin')
    for (let i = 0; i < rows; i++) database.exec(`insert into rows (text) values ('${'x'.repeat(3000)}')`)
    database.exec(end)
  }

  /** The files as they are now, in a folder of their own. */
  function crash(file: string): string {
    const folder_of = join(folder, `${copies++}`)
    mkdirSync(folder_of)
    const other = join(folder_of, 'atrium.db')
    for (const part of ['', '-wal']) copyFileSync(file + part, other + part)
    return other
  }

  async function assertOpens(file: string, rows: number, said: RegExp): Promise<void> {
    const store = new SqliteStore(file)
    try {
      assert.deepEqual(await store.reader('system').first(count), { count: rows })
      assert.match(store.findings.map(({ message }) => message).join('\n'), said)
      await store.check()
    } finally {
      await store.close()
    }
  }

  it('is opened with everything that was synced, whatever part of the newest transaction the disk kept', async () => {
    const { file, database } = create()
    for (let i = 0; i < 5; i++) insert(database, 2)
    const synced = statSync(`${file}-wal`).size
    insert(database, 10)
    const whole = statSync(`${file}-wal`).size
    for (const [from, to] of [
      [synced, synced + 512],
      [synced + 24 + 1024, synced + 24 + 2048],
      [synced + 3 * frame_bytes, synced + 5 * frame_bytes],
      [whole - 1000, whole],
      [synced, whole],
    ] as const) {
      const other = crash(file)
      const log = readFileSync(`${other}-wal`)
      log.fill(0, from, to)
      writeFileSync(`${other}-wal`, log)
      await assertOpens(other, 10, /^(the write-ahead log ends in an incomplete transaction[^\n]*)?$/)
      await assertOpens(other, 10, /^$/)
    }
    for (const size of [synced + 1, synced + 24, synced + 2 * frame_bytes, whole - 1]) {
      const other = crash(file)
      truncateSync(`${other}-wal`, size)
      await assertOpens(other, 10, /^$/)
    }
    await assertOpens(crash(file), 20, /^$/)
    database.close()
  })

  it('is opened without reporting damage if frames of older logs follow its end', async () => {
    const { file, database } = create()
    for (let i = 0; i < 20; i++) insert(database, 1)
    for (let round = 1; round <= 3; round++) {
      database.exec('pragma wal_checkpoint(restart)')
      for (let i = 0; i < 3; i++) insert(database, 1)
      await assertOpens(crash(file), 20 + 3 * round, /^$/)
    }
    database.close()
  })

  it('is opened without reporting damage if frames of a rolled-back transaction follow its end', async () => {
    const { file, database } = create()
    insert(database, 3)
    const before = statSync(`${file}-wal`).size
    insert(database, 200, 'rollback')
    assert.ok(statSync(`${file}-wal`).size > before + 100 * frame_bytes, 'the transaction did not fit the cache')
    await assertOpens(crash(file), 3, /^$/)
    for (let i = 0; i < 3; i++) insert(database, 1)
    await assertOpens(crash(file), 6, /^$/)
    database.close()
  })

  it('is opened with the database’s content if its header was torn as it started over', async () => {
    const { file, database } = create()
    for (let i = 0; i < 20; i++) insert(database, 1)
    const before = readFileSync(`${file}-wal`)
    database.exec('pragma wal_checkpoint(restart)')
    const copied = readFileSync(file)
    insert(database, 1)
    const next = readFileSync(`${file}-wal`).subarray(0, 32)
    for (const kept of [4, 16, 20, 24, 28, 32]) {
      const other = crash(file)
      writeFileSync(other, copied)
      writeFileSync(`${other}-wal`, Buffer.concat([next.subarray(0, kept), before.subarray(kept)]))
      await assertOpens(other, 20, /^/)
    }
    database.close()
  })
})
