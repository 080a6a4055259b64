/**
 * Pages that SQLite has copied into its file and a failed sync has lost are copied again before the log starts over or
 * is removed.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { type Placeholder, rawQuery } from '../query.ts'
import { Checkpoints } from './checkpoints.ts'
import { SqliteConnection } from './connection.ts'
import { Copier, copyingFileOf } from './copier.ts'
import { SqliteStore } from './store.ts'

const insert = rawQuery(
  (p: Placeholder<{ number: number; text: string }>) =>
    sql`insert into pages (number, text) values (${p('number')}, ${p('text')})`,
)
const count = rawQuery(() => sql<{ count: number }>`select count(*) as count from pages where text is not null`)
const integrity = rawQuery(() => sql<{ integrity_check: string }>`pragma integrity_check`)
/** Larger than a page. */
const text = 'x'.repeat(5000)

describe('pages that SQLite counts as copied and the disk has lost', () => {
  let folder: string
  let file: string
  let writing: SqliteConnection
  let reading: SqliteConnection
  let written: number
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-recopied-'))
    file = join(folder, 'pages.db')
    writing = new SqliteConnection(file, 'writes')
    reading = new SqliteConnection(file, 'reads')
    written = 0
    writing.exec('create table pages (number integer primary key, text text not null)')
  })
  afterEach(() => {
    writing.close()
    reading.close()
    rmSync(folder, { recursive: true })
  })

  function write(rows: number): void {
    writing.exec('begin immediate')
    for (let i = 0; i < rows; i++) writing.run(insert, { number: ++written, text })
    writing.exec('commit')
  }

  /**
   * A pass that does not reach the log's end, and so does not wait for the disk; then the file is restored to what it
   * was before.
   */
  function lose(): void {
    write(50)
    writing.checkpoint()
    write(50)
    reading.exec('begin')
    reading.all(count, {})
    write(50)
    const before = readFileSync(file)
    const { log, checkpointed } = writing.checkpoint()
    assert.ok(checkpointed > 0 && checkpointed < log)
    reading.exec('rollback')
    writeFileSync(file, before)
  }

  function assertWhole(): void {
    const fresh = new SqliteConnection(file, 'reads')
    assert.deepEqual(fresh.all(integrity, {}), [{ integrity_check: 'ok' }])
    assert.deepEqual(fresh.all(count, {}), [{ count: written }])
    fresh.close()
  }

  it('are copied again before the first checkpoint of a thread, which has no record of them', async () => {
    lose()
    const checkpoints = new Checkpoints(file, 1)
    checkpoints.committed(writing.logFrames())
    await checkpoints.idle()
    assert.equal(await checkpoints.close(), true)
    assertWhole()
  })

  it('are not copied again while another thread copies, which may write newer ones', () => {
    lose()
    const before = readFileSync(file)
    const other = new DatabaseSync(copyingFileOf(file))
    other.exec('begin immediate')
    const copier = new Copier(file, writing, 0)
    assert.equal(copier.pass(), null)
    assert.deepEqual(readFileSync(file), before)
    other.close()
    assert.deepEqual(copier.pass(), writing.checkpoint())
    copier.close()
    assertWhole()
  })

  it('are not copied by a commit, however far the log has grown', () => {
    const before = readFileSync(file)
    for (let i = 0; i < 30; i++) write(100)
    assert.ok(writing.logFrames() > 3000)
    assert.deepEqual(readFileSync(file), before)
  })

  it('are copied from the log when it is opened again, because a store that is unsure of its file leaves the log', async () => {
    const store = new SqliteStore(file)
    lose()
    const { checkpoints } = store as unknown as { checkpoints: { isSure: boolean } }
    checkpoints.isSure = false
    writing.close()
    reading.close()
    await store.close()
    const again = new SqliteConnection(file, 'writes')
    assertWhole()
    again.close()
    assertWhole()
  })
})
