/** SQLite's write-ahead log: it is copied into the database while writers continue, and starts over. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { db_limits } from '../limits.ts'
import { type Placeholder, rawQuery } from '../query.ts'
import { Checkpoints } from './checkpoints.ts'
import { SqliteConnection } from './connection.ts'

const insert = rawQuery((p: Placeholder<{ text: string }>) => sql`insert into pages (text) values (${p('text')})`)
const count = rawQuery(() => sql<{ count: number }>`select count(*) as count from pages`)
/** Larger than a page. */
const text = 'x'.repeat(5000)
const frames = 40
/** The thread may get no time for long on a busy machine. */
const commits_max = 200_000

describe('checkpoints of SQLite', () => {
  let folder: string
  let file: string
  let writing: SqliteConnection
  let checkpoints: Checkpoints
  let written = 0
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-checkpoints-'))
    file = join(folder, 'pages.db')
    writing = new SqliteConnection(file, 'writes')
    writing.exec('create table pages (text text not null)')
    checkpoints = new Checkpoints(file, frames)
  })
  after(async () => {
    await checkpoints.close()
    writing.close()
    rmSync(folder, { recursive: true })
  })

  async function commit(): Promise<number> {
    await checkpoints.ending
    writing.exec('begin immediate')
    writing.run(insert, { text })
    writing.exec('commit')
    written++
    const log = writing.logFrames()
    checkpoints.committed(log)
    await new Promise(setImmediate)
    return log
  }

  /** Commits until the log has started over `times` times; returns its size at each. */
  async function commitUntilRestart(times: number): Promise<number[]> {
    const sizes: number[] = []
    let last = 0
    for (let i = 0; i < commits_max && sizes.length < times; i++) {
      const log = await commit()
      if (log < last) sizes.push(last)
      last = log
    }
    return sizes
  }

  it('let the log start over repeatedly while commits continue, and lose nothing', async () => {
    const sizes = await commitUntilRestart(5)
    assert.equal(sizes.length, 5)
    assert.ok(
      sizes.every((size) => size >= frames),
      String(sizes),
    )
    assert.deepEqual(writing.all(count, {}), [{ count: written }])
  })

  it('leave the pages of an open reader, and continue when it has ended', async () => {
    const reading = new SqliteConnection(file, 'reads')
    reading.exec('begin')
    const seen = reading.all(count, {})
    let last = 0
    for (let i = 0; i < 10 * frames; i++) {
      const log = await commit()
      assert.ok(i === 0 || log > last, `${log} after ${last}`)
      last = log
    }
    assert.deepEqual(reading.all(count, {}), seen)
    reading.exec('rollback')
    reading.close()
    assert.equal((await commitUntilRestart(2)).length, 2)
    assert.deepEqual(writing.all(count, {}), [{ count: written }])
  })

  it('return disk space after a reader has kept the log from starting over', async () => {
    const size = () => statSync(`${file}-wal`).size
    const reading = new SqliteConnection(file, 'reads')
    reading.exec('begin')
    reading.all(count, {})
    writing.exec('create table ballast (bytes blob not null)')
    writing.exec(`insert into ballast values (zeroblob(${db_limits.log_kept_bytes}))`)
    assert.ok(size() > db_limits.log_kept_bytes)
    reading.exec('rollback')
    reading.close()
    writing.exec('drop table ballast')
    assert.equal((await commitUntilRestart(2)).length, 2)
    assert.ok(size() <= db_limits.log_kept_bytes, String(size()))
  })

  it('delay no writer if the thread fails, and are started again', async () => {
    const broken = new Checkpoints(join(folder, 'no such folder', 'pages.db'), frames)
    for (let i = 1; i <= 3; i++) {
      broken.committed(i * frames)
      assert.equal(broken.ending, null)
      await broken.idle()
    }
    assert.equal(broken.ending, null)
    await broken.close()
    assert.equal((await commitUntilRestart(1)).length, 1)
  })
})
