import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, beforeEach, describe, it } from 'node:test'
import { HeldLog, LogInterrupted, LogUnusable } from '../../src/db/sqlite/held-log.ts'
import { pagesIn } from '../../src/db/sqlite/log/frames.ts'

/** Draws whole numbers below a limit; the same seed draws the same ones. */
function drawFrom(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

describe('A held write-ahead log', () => {
  let root: string
  let file: string
  let writer: DatabaseSync
  let checkpoints: DatabaseSync
  let count = 0
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'atrium-held-'))
  })
  after(() => rmSync(root, { recursive: true }))
  beforeEach(() => {
    file = join(root, `${++count}.db`)
    writer = new DatabaseSync(file)
    writer.exec(
      'pragma journal_mode=wal; pragma wal_autocheckpoint=0; create table rows (id integer primary key, text text)',
    )
    checkpoints = new DatabaseSync(file)
  })

  const write = (rows = 1) => {
    writer.exec('begin')
    for (let i = 0; i < rows; i++) writer.exec('insert into rows (text) values (hex(randomblob(700)))')
    writer.exec('commit')
  }
  const checkpoint = () => checkpoints.prepare('pragma wal_checkpoint(passive)').get()
  const rowsOf = (path: string) => {
    const database = new DatabaseSync(path)
    const found = database.prepare('select id, text from rows').all()
    assert.equal(database.prepare('pragma integrity_check').get()?.integrity_check, 'ok')
    database.close()
    return JSON.stringify(found)
  }

  /** The log's header now. */
  const headerOf = (held: HeldLog) => {
    const { header, hold } = held.look()
    held.release(hold)
    return header
  }

  /** A copy of the database that is made of the copied frames only. */
  class Copy {
    readonly path: string
    readonly logs = new Set<string>()
    private pages = new Map<number, Buffer>()
    private count = 0

    constructor() {
      this.path = `${file}.copy`
    }

    /** Copies everything that is committed. */
    follow(held: HeldLog): void {
      const look = held.look()
      for (let copied = held.copy(look); copied !== null; copied = held.copy(look)) this.take(copied)
      held.advance(look)
    }

    take(copied: NonNullable<ReturnType<HeldLog['copy']>>): void {
      this.logs.add(copied.to.header.bytes.toString('hex'))
      for (const [number, page] of pagesIn(copied.bytes, copied.to.header)) this.pages.set(number, Buffer.from(page))
      if (copied.pages > 0) this.count = copied.pages
    }

    rows(): string {
      rmSync(this.path, { force: true })
      writeFileSync(this.path, '')
      const opened = openSync(this.path, 'r+')
      for (const [number, page] of this.pages)
        if (number <= this.count) writeSync(opened, page, 0, page.length, (number - 1) * 4096)
      return rowsOf(this.path)
    }
  }

  it('yields every commit, whatever checkpoints and new logs come between', () => {
    const draw = drawFrom(20_271)
    const held = new HeldLog(file, null)
    const copy = new Copy()
    for (let round = 0; round < 300; round++) {
      for (let left = draw(4); left > 0; left--) write(1 + draw(4))
      if (draw(10) < 5) checkpoint()
      if (draw(10) < 8) copy.follow(held)
      if (draw(10) < 3) {
        const last = held.startOver()
        if (last !== null) copy.take(last)
      }
      if (round % 50 === 49) {
        copy.follow(held)
        assert.equal(copy.rows(), rowsOf(file))
      }
    }
    assert.ok(copy.logs.size > 20, `the log started over ${copy.logs.size} times`)
    held.close()
  })

  it('keeps the log from starting over until its frames were copied', () => {
    const held = new HeldLog(file, null)
    const copy = new Copy()
    copy.follow(held)
    const { header } = held.place ?? assert.fail('nothing was copied')
    for (let i = 0; i < 5; i++) {
      write()
      checkpoint()
    }
    assert.equal(headerOf(held)?.bytes.equals(header.bytes), true)
    copy.follow(held)
    held.startOver()
    write()
    assert.equal(headerOf(held)?.salt, (header.salt + 1) >>> 0)
    copy.follow(held)
    assert.equal(copy.rows(), rowsOf(file))
    held.close()
  })

  it('continues when another process lets the log start over', () => {
    const held = new HeldLog(file, null)
    const copy = new Copy()
    for (let start = 0; start < 3; start++) {
      write()
      copy.follow(held)
      held.startOver()
      // A connection counts the checkpoints that it has seen itself.
      const other = new DatabaseSync(file)
      other.exec("insert into rows (text) values ('other')")
      other.close()
    }
    copy.follow(held)
    assert.equal(copy.rows(), rowsOf(file))
    assert.ok(copy.logs.size > 3)
    held.close()
  })

  it('continues in the same log after it was closed, and refuses to continue in a later one', () => {
    const copy = new Copy()
    const first = new HeldLog(file, null)
    copy.follow(first)
    first.close()
    write()
    const second = new HeldLog(file, first.place)
    copy.follow(second)
    assert.equal(copy.rows(), rowsOf(file))
    second.close()
    write()
    checkpoint()
    write()
    assert.throws(() => new HeldLog(file, second.place), LogInterrupted)
  })

  it('notices that the log started over before the first frames were copied', () => {
    const first = new HeldLog(file, null)
    new Copy().follow(first)
    first.close()
    write()
    checkpoint()
    // All of the log is in the database: a new transaction does not need it.
    const second = new HeldLog(file, first.place)
    write()
    assert.throws(() => new Copy().follow(second), LogInterrupted)
    second.close()
  })

  it('leaves the log as it is when it is closed last', () => {
    const held = new HeldLog(file, null)
    const copy = new Copy()
    copy.follow(held)
    held.startOver()
    write()
    copy.follow(held)
    writer.close()
    checkpoints.close()
    held.close()
    const again = new HeldLog(file, held.place)
    copy.follow(again)
    assert.equal(copy.rows(), rowsOf(file))
    again.close()
  })

  it('refuses frames that are not what was written, and a database that was replaced', () => {
    const held = new HeldLog(file, null)
    new Copy().follow(held)
    write()
    const log = openSync(`${file}-wal`, 'r+')
    writeSync(log, Buffer.from([1]), 0, 1, 32 + (held.place?.frame ?? 0) * 4120 + 2000)
    const look = held.look()
    assert.throws(() => held.copy(look), LogUnusable)
    cpSync(file, `${file}.other`)
    rmSync(file)
    cpSync(`${file}.other`, file)
    assert.throws(() => held.look(), /was replaced/)
  })
})
