/** A damaged SQLite database is refused at the start and reported while it is served; it is never served as healthy. */
import assert from 'node:assert/strict'
import { closeSync, copyFileSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, afterEach, before, describe, it } from 'node:test'
import { openStore } from '../../src/db/open.ts'
import { definition } from '../../src/db/query.ts'
import { SqliteConnection } from '../../src/db/sqlite/connection.ts'
import { requireSound } from '../../src/db/sqlite/damage.ts'
import { DamagedDatabase } from '../../src/db/store.ts'
import { minute_ms } from '../../src/lib/units.ts'
import { call } from '../call.ts'
import { type Installation, newInstallation } from '../cli/installation.ts'
import { newDatabase } from '../engines.ts'
import { openWorld } from '../world.ts'

/** Overwrites pages of a file, counted from 0, with zeros. */
function zeroPages(file: string, from: number, count: number): void {
  const opened = openSync(file, 'r+')
  writeSync(opened, Buffer.alloc(4096 * count), 0, 4096 * count, 4096 * from)
  closeSync(opened)
}

function rootPage(file: string, table: string): number {
  const database = new DatabaseSync(file)
  const row = database.prepare('select rootpage from sqlite_schema where name = ?').get(table)
  database.close()
  return Number(row?.rootpage)
}

describe('A server over a damaged SQLite database', () => {
  let installation: Installation
  let file: string
  let log: string
  before(async () => {
    installation = await newInstallation('sqlite')
    await installation.initAcme()
    file = join(installation.folder, 'atrium.db')
    log = join(installation.folder, 'atrium-requests.db')
    for (const each of [file, log]) copyFileSync(each, `${each}.sound`)
  })
  afterEach(() => {
    for (const each of [file, log]) {
      for (const part of ['', '-wal', '-shm']) rmSync(each + part, { force: true })
      copyFileSync(`${each}.sound`, each)
    }
  })
  after(() => installation.remove())

  async function assertRefused(command: string, message: RegExp): Promise<void> {
    const { code, out, err } = await installation.run([command])
    assert.deepEqual([code, out], [1, ''], err)
    assert.match(err, message)
    assert.equal(err.split('\n').length, 2, err)
  }

  const restore = /^atrium \w+: The database \S+\/atrium\.db is damaged: [^\n]+\. [^\n]*'atrium restore'[^\n]*\n$/

  it('does not start if pages in the middle are zeros, and says what to do in one line', async () => {
    zeroPages(file, 3, 18)
    await assertRefused('serve', restore)
  })

  it('does not start if the root page of a table is zeros', async () => {
    zeroPages(file, rootPage(file, 'tasks') - 1, 1)
    await assertRefused('serve', restore)
    await assertRefused('worker', restore)
  })

  it('does not start if the first page is zeros', async () => {
    zeroPages(file, 0, 1)
    await assertRefused('serve', restore)
  })

  it('does not start if the request log is damaged, and says that it may be moved away', async () => {
    zeroPages(log, rootPage(log, 'request_logs') - 1, 1)
    await assertRefused('serve', /The request log \S+atrium-requests\.db is damaged: [^\n]+ Move it [^\n]+\n$/)
  })

  it('is reported by the doctor in every case, with exit code 1', async () => {
    for (const [from, count] of [
      [0, 1],
      [3, 18],
    ] as const) {
      zeroPages(file, from, count)
      const { code, out, err } = await installation.run(['doctor', '--json'])
      assert.equal(code, 1, err)
      const found = JSON.parse(out).checks.find(({ name }: { name: string }) => name === 'database')
      assert.deepEqual([found.status, /is damaged/.test(found.found)], ['fail', true])
      copyFileSync(`${file}.sound`, file)
    }
  })
})

describe('A server over SQLite whose write-ahead log is damaged', () => {
  it("refuses to start in one line, and starts after 'atrium log cut'", async () => {
    const installation = await newInstallation('sqlite')
    try {
      await installation.initAcme()
      const file = join(installation.folder, 'atrium.db')
      const writing = new DatabaseSync(file)
      writing.exec('create table ballast (bytes blob)')
      for (let i = 0; i < 5; i++) writing.exec('insert into ballast values (zeroblob(10000))')
      const database = readFileSync(file)
      const log = readFileSync(`${file}-wal`)
      writing.close()
      writeFileSync(file, database)
      writeFileSync(`${file}-wal`, log.fill(0xee, log.length - 6 * 4120 - 1024, log.length - 6 * 4120))
      const refused = await installation.run(['serve'])
      assert.deepEqual([refused.code, refused.out], [1, ''])
      assert.match(
        refused.err,
        /^atrium serve: The write-ahead log \S+atrium\.db-wal is damaged: [^\n]+'atrium log cut'\.\n$/,
      )
      const { cuts } = await installation.json('log', 'cut')
      assert.deepEqual(Object.keys(cuts[0]), ['log', 'copy', 'bad_frame', 'commits'])
      assert.match((await installation.run(['log', 'cut'])).out, /^No log is damaged: nothing was cut\.\n$/)
      const { process } = await installation.serve()
      await process.kill()
    } finally {
      await installation.remove()
    }
  })
})

describe('/readyz of a server over SQLite', () => {
  it('answers 503 once a table cannot be read', async () => {
    const world = await openWorld('sqlite')
    try {
      const ready = async () => (await call(world.server.url, 'GET', '/readyz')).status
      assert.equal(await ready(), 200)
      const file = new URL(world.database.url).pathname
      // Another process's change makes the server read its pages from the file again.
      const other = new DatabaseSync(file)
      assert.equal(other.prepare('pragma wal_checkpoint(truncate)').get()?.busy, 0)
      zeroPages(
        file,
        Number(other.prepare("select rootpage from sqlite_schema where name = 'expenses'").get()?.rootpage) - 1,
        1,
      )
      other.exec('pragma user_version = 1')
      other.close()
      assert.equal(await ready(), 503)
      assert.equal((await call(world.server.url, 'GET', '/healthz')).status, 200)
    } finally {
      await world.close()
    }
  })
})

describe('The check of a large SQLite file', () => {
  it('finds a page that is wrong, and says so if its time was not enough', async () => {
    const database = await newDatabase('sqlite')
    const file = new URL(database.url).pathname
    await (await openStore(database.url)).close()
    const made = new DatabaseSync(file)
    made.exec('create table large (id integer primary key, bytes blob not null)')
    made.exec(`with recursive n(i) as (values (1) union all select i + 1 from n where i < 6000)
      insert into large select i, randomblob(3500) from n`)
    made.exec('pragma wal_checkpoint(truncate)')
    made.close()
    const connection = new SqliteConnection(file, 'reads')
    assert.deepEqual(await requireSound(connection, file, minute_ms), [])
    zeroPages(file, 4000, 20)
    const [finding, ...more] = await requireSound(connection, file, 1)
    assert.deepEqual([finding?.level, finding?.details, more], ['warn', { file, limit_ms: 1 }, []])
    await assert.rejects(requireSound(connection, file, minute_ms), DamagedDatabase)
    connection.close()
    await database.remove()
  })
})

describe('The check of a SQLite file', () => {
  it('is repeated if another process changes the schema meanwhile', async () => {
    const database = await newDatabase('sqlite')
    const file = new URL(database.url).pathname
    await (await openStore(database.url)).close()
    const connection = new SqliteConnection(file, 'reads')
    let moved = 0
    const all: SqliteConnection['all'] = (query, parameters) => {
      const rows = connection.all(query, parameters)
      const isFirstCheck = 'quick_check' in (rows[0] ?? {}) && moved++ === 0
      // What SQLite answers if the table was changed between reading the schema and opening it.
      if (isFirstCheck) throw new Error('vtable constructor failed: text_grams')
      return rows
    }
    const moving = Object.create(connection, { all: { value: all } }) as SqliteConnection
    assert.deepEqual([await requireSound(moving, file, minute_ms), moved > 1], [[], true])
    connection.close()
    await database.remove()
  })
})

describe('/readyz of a server over PostgreSQL', () => {
  it('answers 503 from a write that a full disk refuses until a write is stored again', async () => {
    const world = await openWorld('postgres')
    const { store } = world.services
    const ready = async () => (await call(world.server.url, 'GET', '/readyz')).status
    const write = async (title: string) => (await world.post('/v1/workspaces', { title })).status
    const change = (text: string) => store.migrate(async (tx) => tx.write(definition(text)))
    try {
      // The server refuses with the error that it gives when it cannot extend a table.
      await change(`create function refuse() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`)
      for (const table of ['workspaces', 'workers'])
        await change(`create trigger full_disk before insert on ${table} execute function refuse()`)
      assert.equal(await ready(), 200)
      assert.equal(await write('Refused'), 503)
      assert.deepEqual([await ready(), await ready()], [503, 503])
      await change('drop trigger full_disk on workers')
      assert.equal(await ready(), 200)
      assert.equal(await write('Refused again'), 503)
      assert.equal(await ready(), 200, 'what the probe stores is stored')
      await change('drop trigger full_disk on workspaces')
      assert.equal(await write('Stored'), 200)
      assert.equal(await ready(), 200)
    } finally {
      await world.close()
    }
  })
})
