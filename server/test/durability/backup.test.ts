/** A backup is one moment of all data, and is restored completely on either engine or not at all. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { BadBackup, type Manifest, readBackup, writeBackup } from '../../src/db/backup/backup.ts'
import { restoreBackup } from '../../src/db/backup/restore.ts'
import { applyMigrations } from '../../src/db/migrate.ts'
import { openStore } from '../../src/db/open.ts'
import { insertQuery, query } from '../../src/db/query.ts'
import type { Store } from '../../src/db/store.ts'
import { derived_tables, tableKeys } from '../../src/db/tables/keys.ts'
import { type Database, type EngineName, newDatabase, onEveryEngine } from '../engines.ts'
import { openWorld, type World } from '../world.ts'
import { assertSound } from './soundness.ts'

const counts = {
  request_logs: query((db) => db.selectFrom('request_logs').select((the) => the.fn.countAll<number>().as('rows'))),
  organizations: query((db) => db.selectFrom('organizations').select((the) => the.fn.countAll<number>().as('rows'))),
}

async function count(store: Store, table: keyof typeof counts): Promise<number> {
  return Number((await store.reader('system').first(counts[table], {}))?.rows)
}

const about = { created: 0, secret_key: 'irrelevant here' }

onEveryEngine('a backup', (engine) => {
  let world: World
  let workspace: string
  let path: string
  let manifest: Manifest
  const databases: Database[] = []

  before(async () => {
    world = await openWorld(engine)
    workspace = await world.make('/v1/workspaces', { title: 'Kept' }).then((made) => made.id)
    for (let i = 0; i < 7; i++) {
      const data = Array.from({ length: 100 }, (_, n) => ({
        title: `Täsk "${i}" ${n}\n🚀`,
        custom_fields: { n, half: n / 2 },
      }))
      await world.make('/v1/tasks/batch', { workspace, data })
    }
    await world.services.requestLog.flush()
    path = join(world.database.folder, 'backup.gz')
    manifest = await writeBackup(world.services.store, path, about)
  })
  after(async () => {
    for (const database of databases) await database.remove()
    await world.close()
  })

  async function emptyStore(other: EngineName): Promise<{ store: Store; database: Database }> {
    const database = await newDatabase(other)
    databases.push(database)
    return { store: await openStore(database.url), database }
  }

  it('holds every table of the database, with its number of rows and its hash', async () => {
    const names = tableKeys(engine)
      .map(({ table }) => table)
      .filter((table) => !derived_tables.has(table))
    assert.deepEqual(Object.keys(manifest.tables), names)
    assert.equal(manifest.tables.tasks?.rows, 700)
    assert.deepEqual(await readBackup(path), manifest)
  })

  for (const other of ['sqlite', 'postgres'] as const) {
    it(`is restored into ${other} with the same rows and complete logs`, async () => {
      const { store, database } = await emptyStore(other)
      try {
        assert.deepEqual(await restoreBackup(store, path, 0), manifest)
        const again = join(database.folder, 'again.gz')
        const { tables } = await writeBackup(store, again, about)
        assert.deepEqual(tables, manifest.tables)
        await assertSound(store.reader('system'), world.acme.id)
      } finally {
        await store.close()
      }
    })
  }

  it('is restored again after an interrupted restore that had committed only the request log', async () => {
    const { store, database } = await emptyStore(engine)
    try {
      await applyMigrations(store, manifest.migrations, 0)
      const rest = { realm: 1, id: 'req_of_the_first_try', created: 1, entry: '{}' }
      await store.writeLog([{ query: insertQuery('request_logs', rest), values: rest }])
      await restoreBackup(store, path, 0)
      const again = join(database.folder, 'again.gz')
      const { tables } = await writeBackup(store, again, about)
      assert.deepEqual(tables, manifest.tables)
    } finally {
      await store.close()
    }
  })

  it('commits the request log, which may be in a file of its own, before everything else', async () => {
    const { store, database } = await emptyStore(engine)
    const other = await openStore(database.url)
    const seen: [logs: number, organizations: number][] = []
    try {
      const migrateStore = store.migrate.bind(store)
      store.migrate = async (job) => {
        const value = await migrateStore(job)
        seen.push([await count(other, 'request_logs'), await count(other, 'organizations')])
        return value
      }
      await restoreBackup(store, path, 0)
      const logs = manifest.tables.request_logs?.rows ?? 0
      assert.ok(logs > 0)
      const changes = seen.filter(([log], i) => log !== seen[i - 1]?.[0])
      assert.deepEqual(changes, [
        [0, 0],
        [logs, 0],
      ])
    } finally {
      await Promise.all([store.close(), other.close()])
    }
  })

  it('is one moment while other processes write', async () => {
    const during = join(world.database.folder, 'during.gz')
    let writing = true
    const writer = (async () => {
      for (let i = 0; writing; i++) await world.make('/v1/tasks', { workspace, title: `Meanwhile ${i}` })
    })()
    await writeBackup(world.services.store, during, about)
    writing = false
    await writer
    const { store } = await emptyStore('sqlite')
    try {
      await restoreBackup(store, during, 0)
      await assertSound(store.reader('system'), world.acme.id)
    } finally {
      await store.close()
    }
  })

  it('is not restored if any bit of its content was flipped or its end is missing', async () => {
    const plain = gunzipSync(readFileSync(path))
    const bad = join(world.database.folder, 'bad.gz')
    for (const at of [5, 200, Math.floor(plain.length / 2), plain.length - 30]) {
      const flipped = Buffer.from(plain)
      flipped[at] = (flipped[at] as number) ^ 1
      writeFileSync(bad, gzipSync(flipped))
      await assert.rejects(readBackup(bad), BadBackup, `byte ${at}`)
    }
    const packed = readFileSync(path)
    for (const cut of [packed.length - 1, Math.floor(packed.length / 2), 20, 0]) {
      writeFileSync(bad, packed.subarray(0, cut))
      await assert.rejects(readBackup(bad), BadBackup, `cut at ${cut}`)
    }
    const lines = plain.toString().split('\n')
    writeFileSync(bad, gzipSync(lines.slice(0, -2).join('\n')))
    await assert.rejects(readBackup(bad), BadBackup)
    const { store } = await emptyStore(engine)
    try {
      await assert.rejects(restoreBackup(store, bad, 0), BadBackup)
    } finally {
      await store.close()
    }
  })

  it('fails on a full disk and leaves nothing behind, instead of waiting', async () => {
    const { store } = world.services
    const full = join(world.database.folder, 'full.gz')
    const unfinished = `${full}.${about.secret_key}-${store.processes.own()}.unfinished`
    symlinkSync('/dev/full', unfinished)
    await assert.rejects(writeBackup(store, full, about), { code: 'ENOSPC' })
    assert.deepEqual([existsSync(full), existsSync(unfinished)], [false, false])
  })

  it('is restored only into an empty database', async () => {
    await assert.rejects(restoreBackup(world.services.store, path, 0), /not empty/)
  })
})
