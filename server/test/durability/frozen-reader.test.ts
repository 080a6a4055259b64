/** A process that is stopped while it reads a snapshot does not let the write-ahead log of SQLite grow without limit. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { rawQuery } from '../../src/db/query.ts'
import { SqliteStore } from '../../src/db/sqlite/store.ts'
import { StoreUnavailable } from '../../src/db/store.ts'
import { run } from './programs.ts'

const create = rawQuery(() => sql`create table if not exists ballast (bytes blob not null)`)
const insert = rawQuery(() => sql`insert into ballast values (zeroblob(100000))`)
const count = rawQuery(() => sql<{ count: number }>`select count(*) as count from ballast`)

describe('A snapshot that another process reads', () => {
  let folder: string
  let file: string
  let store: SqliteStore
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-frozen-'))
    file = join(folder, 'atrium.db')
    store = new SqliteStore(file, { silent_ms: 1500, silent_bytes: 2 ** 20, bytes_max: 2 ** 23 })
    await store.write('system', async (tx) => tx.write(create))
  })
  after(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })

  const commit = () => store.write('system', async (tx) => tx.write(insert))
  const readers = () => readdirSync(folder).filter((name) => name.includes('-reading-'))

  /** How often the store's own checkpoints may be in the way: SQLite does not wait for them, it answers "busy". */
  const attempts_max = 1000

  /** Whether the log can start over: no reader needs what is in it. */
  async function isFree(): Promise<boolean> {
    const other = new DatabaseSync(file, { timeout: 20 })
    const restart = other.prepare('pragma wal_checkpoint(restart)')
    let busy = 1
    for (let attempt = 0; busy === 1 && attempt < attempts_max; attempt++) {
      ;({ busy } = restart.get() as { busy: number })
      await new Promise(setImmediate)
    }
    other.close()
    return busy === 0
  }

  /** Commits until `program` prints a line. */
  async function commitUntil(line: Promise<string | undefined>): Promise<string | undefined> {
    let exited: { readonly line: string | undefined } | null = null
    void line.then((text) => {
      exited = { line: text }
    })
    while (exited === null) await commit()
    return await line
  }

  it('ends when the process is stopped and the log has grown, with an error that says why, and the log starts over', async () => {
    const program = run('hold-snapshot.ts', file)
    assert.equal(await program.line(), 'reading')
    assert.equal(readers().length, 1)
    program.signal('SIGSTOP')
    const line = await commitUntil(program.line())
    assert.match(String(line), /^the server ended this read because it kept the write-ahead log from starting over/)
    assert.equal(await program.end(), 0)
    assert.deepEqual(readers(), [])
    assert.ok(await isFree())
  })

  it('goes on while it makes progress, and ends when the log has its largest size', async () => {
    assert.ok(await isFree())
    await store.snapshot('system', async (reader) => {
      for (let bytes = 0; bytes < 2 ** 22; bytes += 100_000) {
        await commit()
        await reader.first(count)
      }
      assert.equal(readers().length, 1)
    })
    await assert.rejects(
      store.snapshot('system', async (reader) => {
        for (;;) {
          await commit()
          await reader.first(count)
        }
      }),
      StoreUnavailable,
    )
    assert.ok(await isFree())
  })

  it('leaves a file behind when its process is killed, which the next look removes', async () => {
    const program = run('hold-snapshot.ts', file)
    assert.equal(await program.line(), 'reading')
    program.signal('SIGKILL')
    await program.end()
    const [left = ''] = readers()
    utimesSync(join(folder, left), new Date(0), new Date(0))
    while (readers().length > 0) await commit()
  })
})
