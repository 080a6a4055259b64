/** What a continuous backup holds, at a clock that only the test moves: every moment, and no damaged object. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { BaseParts, copyBase } from '../../src/db/backup/follow/base-copy.ts'
import { Chain } from '../../src/db/backup/follow/chain.ts'
import { FolderDestination, namesBelow } from '../../src/db/backup/follow/destination.ts'
import { framesPart } from '../../src/db/backup/follow/frames.ts'
import { BadDestination, requireMarker, writeMarker } from '../../src/db/backup/follow/marker.ts'
import { BackupKey } from '../../src/db/backup/follow/object.ts'
import { removeOld } from '../../src/db/backup/follow/retention.ts'
import { writeState } from '../../src/db/backup/follow/sqlite-state.ts'
import { findState } from '../../src/db/backup/follow/state.ts'
import { HeldLog } from '../../src/db/sqlite/held-log.ts'

/** A database with a row for each moment, and its backup. */
class Backup {
  readonly folder = mkdtempSync(join(tmpdir(), 'atrium-chain-'))
  readonly file = join(this.folder, 'atrium.db')
  readonly destination = new FolderDestination(join(this.folder, 'backup'))
  readonly key: BackupKey | null
  readonly writer: DatabaseSync
  now = 1_800_000_000_000
  private held: HeldLog
  private chain: Chain | null = null
  private restores = 0

  constructor(key: BackupKey | null = null) {
    this.key = key
    this.writer = new DatabaseSync(this.file)
    this.writer.exec(
      'pragma journal_mode=wal; pragma wal_autocheckpoint=0; create table rows (at integer primary key, text text)',
    )
    this.held = new HeldLog(this.file, null)
  }

  /** A new chain, as after an interruption. */
  async begin(): Promise<void> {
    this.chain = await Chain.begin(this.destination, this.key, ++this.now, randomBytes(4).toString('hex'))
    this.held.close()
    this.held = new HeldLog(this.file, null)
  }

  private get opened(): Chain {
    return this.chain ?? assert.fail('no chain was begun')
  }

  /** Commits a row and copies it; returns the moment. */
  async write(): Promise<number> {
    this.now += 1000
    this.writer.prepare('insert into rows values (?, hex(randomblob(3000)))').run(this.now)
    await this.copy()
    return this.now
  }

  async copy(): Promise<void> {
    const look = this.held.look()
    for (let copied = this.held.copy(look); copied !== null; copied = this.held.copy(look))
      await this.opened.append(framesPart(copied), this.now, this.now)
    this.held.advance(look)
    this.opened.cover(this.now)
    await this.opened.putHead('')
  }

  async startOver(): Promise<void> {
    const copied = this.held.startOver()
    if (copied !== null) await this.opened.append(framesPart(copied), this.now)
  }

  async base(): Promise<void> {
    const { start, name: chain } = this.opened
    await this.copy()
    const about = {
      chain,
      at: this.now,
      covered: this.now,
      first: start,
      last: this.opened.last,
      bytes: this.held.size(),
    }
    await copyBase(this.held, about, { destination: this.destination, key: this.key, isHeld: () => true })
  }

  /** The rows at a moment, from the backup alone. */
  async rowsAt(at: number | null): Promise<number[]> {
    const path = join(this.folder, `restored-${++this.restores}.db`)
    await writeState(this.destination, this.key, await findState(this.destination, this.key, at), path)
    const database = new DatabaseSync(path)
    assert.equal(database.prepare('pragma integrity_check').get()?.integrity_check, 'ok')
    const rows = database.prepare('select at from rows order by at').all()
    database.close()
    return rows.map((row) => Number(row.at))
  }

  async names(part: string): Promise<string[]> {
    const names: string[] = []
    for await (const name of namesBelow(this.destination, 'chains')) if (name.includes(part)) names.push(name)
    return names
  }

  pathOf(name: string): string {
    return join(this.destination.place, name)
  }

  remove(): void {
    this.held.close()
    this.writer.close()
    rmSync(this.folder, { recursive: true })
  }
}

describe('A continuous backup', () => {
  let backup: Backup
  const moments: number[] = []
  before(async () => {
    backup = new Backup(new BackupKey(Buffer.alloc(32, 7)))
    await backup.begin()
    await backup.base()
    for (let i = 0; i < 12; i++) {
      moments.push(await backup.write())
      if (i % 4 === 3) await backup.startOver()
      if (i === 6) await backup.base()
    }
  })
  after(() => backup.remove())

  it('restores each moment with every commit until then, and none after it', async () => {
    for (const [i, moment] of moments.entries()) {
      assert.deepEqual(await backup.rowsAt(moment), moments.slice(0, i + 1))
      assert.deepEqual(await backup.rowsAt(moment + 999), moments.slice(0, i + 1))
    }
    assert.deepEqual(await backup.rowsAt(null), moments)
    await assert.rejects(backup.rowsAt(1), /its first moment is 2027-01-15T/)
  })

  it('says up to when nothing was committed behind its last segment', async () => {
    const idle = new Backup()
    await idle.begin()
    await idle.base()
    await idle.write()
    idle.now += 7_200_000
    await idle.copy()
    const coveredAt = async (at: number | null) => (await findState(idle.destination, null, at)).covered
    assert.equal(await coveredAt(null), idle.now)
    assert.equal(await coveredAt(idle.now - 3_600_000), idle.now - 3_600_000)
    idle.remove()
  })

  it('shows nothing of what it holds without its key', async () => {
    const secret = String(moments[0])
    for (const name of await backup.names('')) {
      const bytes = readFileSync(backup.pathOf(name))
      assert.ok(!bytes.includes('create table') && !bytes.subarray(400).includes(secret), name)
    }
    await writeMarker(backup.destination, backup.key)
    await assert.rejects(requireMarker(backup.destination, null), /is encrypted: set ATRIUM_BACKUP_KEY/)
    const other = new BackupKey(Buffer.alloc(32, 8))
    await assert.rejects(
      requireMarker(backup.destination, other),
      /ATRIUM_BACKUP_KEY is not the key of .+ its fingerprint is/,
    )
    await assert.rejects(findState(backup.destination, other, null), /was changed, or was encrypted with another key/)
  })

  const tampered: Record<string, [of: string, how: (path: string, other: string) => void, refusal: RegExp]> = {
    'a flipped bit': ['/log/', flip, /log\/000000\/00000000\d\d-\d+ is damaged or incomplete: its checksum is wrong/],
    'a truncated segment': [
      '/log/',
      (path) => truncateSync(path, 500),
      /log\/000000\/00000000\d\d-\d+ is damaged or incomplete/,
    ],
    'a missing segment': ['/log/', (path) => rmSync(path), /segment \d+ is missing in chains\/\d+-\w+\/log of /],
    'two exchanged segments': ['/log/', exchange, /log\/000000\/00000000\d\d-\d+ is segment \d+ of chain/],
    'a segment in the place of a part': [
      '/part-',
      (path, other) => copyFileSync(other, path),
      /part-0000001 is a segment in the place of a base part/,
    ],
    'a flipped bit of a base': ['/part-', flip, /part-0000001 is damaged or incomplete/],
    'a missing part of a base': ['/part-', (path) => rmSync(path), /part-0000001 is missing/],
    'a flipped bit of a manifest': ['/base', flip, /\/base is damaged or incomplete/],
  }

  function flip(path: string): void {
    const bytes = readFileSync(path)
    const at = Math.floor(bytes.length / 2)
    bytes[at] = (bytes[at] as number) ^ 4
    writeFileSync(path, bytes)
  }

  function exchange(path: string, other: string): void {
    renameSync(path, `${path}.kept`)
    renameSync(other, path)
    renameSync(`${path}.kept`, other)
  }

  for (const [what, [of, how, refusal]] of Object.entries(tampered)) {
    it(`refuses ${what} by name`, async () => {
      const segments = await backup.names('/log/')
      const names = (await backup.names(of)).filter((name) => of !== '/base' || name.endsWith('/base'))
      // The newest base, and a segment behind it.
      const [name, other] = [names.at(of === '/log/' ? -3 : -1), segments.at(-2)]
      const [path, behind] = [backup.pathOf(name as string), backup.pathOf(other as string)]
      const kept = [readFileSync(path), readFileSync(behind)] as const
      how(path, behind)
      await assert.rejects(
        backup.rowsAt(null),
        (error) => error instanceof BadDestination && refusal.test(error.message),
      )
      writeFileSync(path, kept[0])
      writeFileSync(behind, kept[1])
      assert.deepEqual(await backup.rowsAt(null), moments)
    })
  }

  it('notices that its newest segments are missing', async () => {
    const last = backup.pathOf((await backup.names('/log/')).at(-1) as string)
    const bytes = readFileSync(last)
    rmSync(last)
    await assert.rejects(backup.rowsAt(null), /segment \d+ is missing/)
    writeFileSync(last, bytes)
  })
})

describe('Old parts of a continuous backup', () => {
  it('are removed when a newer base covers all kept moments, and not before', async () => {
    const backup = new Backup()
    await backup.begin()
    await backup.base()
    const moments = [await backup.write(), await backup.write()]
    // An interruption: the next chain has its own base.
    await backup.begin()
    moments.push(await backup.write())
    await backup.base()
    const covered = backup.now
    moments.push(await backup.write())
    await backup.startOver()
    moments.push(await backup.write())
    await backup.base()
    assert.equal(await removeOld(backup.destination, null, covered - 1), 0, 'no base is from before')
    assert.deepEqual(await backup.rowsAt(moments[0] as number), moments.slice(0, 1))

    assert.ok((await removeOld(backup.destination, null, covered)) > 0)
    await assert.rejects(backup.rowsAt(moments[1] as number), /its first moment is/)
    for (const i of [2, 3, 4]) assert.deepEqual(await backup.rowsAt(moments[i] as number), moments.slice(0, i + 1))

    const before = (await backup.names('')).length
    assert.ok((await removeOld(backup.destination, null, backup.now)) > 0)
    assert.ok((await backup.names('')).length < before)
    assert.deepEqual(await backup.rowsAt(null), moments)
    await assert.rejects(backup.rowsAt(moments[2] as number), /its first moment is/)
    assert.equal((await backup.destination.list('chains')).length, 1)
    backup.remove()
  })
})

describe('A base of a PostgreSQL server', () => {
  it('counts from the moment at which the log that it needs is stored', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-chain-'))
    const destination = new FolderDestination(folder)
    const began = 1_800_000_000_000
    const chain = await Chain.begin(destination, null, began, '00000000')
    const cluster = {
      release: 18,
      system: '1',
      timeline: 1,
      start: 0,
      end: 0,
      archive_bytes: 0,
      database: 'a',
      role: 'a',
    }
    const base = async (at: number, ready: number) => {
      await chain.append({ about: {}, startsLog: true, content: Buffer.alloc(1) }, ready, ready)
      const about = { chain: chain.name, at, covered: ready, first: chain.start, last: chain.last, bytes: 0, parts: [] }
      const parts = new BaseParts(destination, null, chain.name, at)
      await parts.finish({ kind: 'base', ...about, cluster: { ...cluster, ready } })
    }
    await base(began + 1000, began + 3000)
    await base(began + 10_000, began + 14_000)
    const baseAt = async (at: number) => (await findState(destination, null, began + at)).base.at - began
    await assert.rejects(baseAt(2999), /its first moment is 2027-01-15T08:00:03\.000Z/)
    assert.deepEqual([await baseAt(3000), await baseAt(13_999), await baseAt(14_000)], [1000, 1000, 10_000])
    assert.equal(
      await removeOld(destination, null, began + 13_999),
      0,
      'moments before the newer base need the older one',
    )
    assert.equal(await removeOld(destination, null, began + 14_000), 2, 'the older base and its segment')
    await assert.rejects(baseAt(13_999), /its first moment is 2027-01-15T08:00:14\.000Z/)
    rmSync(folder, { recursive: true })
  })
})
