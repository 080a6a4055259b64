/** Which processes run: what leases, claims and a rotation of the secret key go by. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { openStore } from '../../src/db/open.ts'
import { type Placeholder, rawQuery } from '../../src/db/query.ts'
import { administer, newDatabase, onEveryEngine } from '../engines.ts'

onEveryEngine('Processes', (engine) => {
  it('are counted while they run, without the one that asks', async () => {
    const database = await newDatabase(engine)
    const stores = await Promise.all([1, 2, 3].map(() => openStore(database.url)))
    const [asking, second, third] = stores as [(typeof stores)[0], (typeof stores)[0], (typeof stores)[0]]
    const names = stores.map((store) => store.processes.own())
    while ((await asking.processes.others()) < 2) await turn()
    await second.close()
    while ((await asking.processes.others()) > 1) await turn()
    assert.deepEqual(await asking.processes.ended(names), [names[1]])
    await third.close()
    await asking.close()
    await database.remove()
  })
})

describe('Processes on SQLite', () => {
  it('remove the file of one that was killed before its file had its name', async () => {
    const database = await newDatabase('sqlite')
    const unnamed = `${new URL(database.url).pathname}-process-0123456789abcdef.new`
    const store = await openStore(database.url)
    writeFileSync(unnamed, '')
    store.processes.own()
    assert.equal(existsSync(unnamed), false)
    await store.close()
    await database.remove()
  })
})

const connectionsOf = rawQuery(
  (p: Placeholder<{ name: string }>) =>
    sql<{ pid: number }>`select pid from pg_stat_activity where application_name = ${p('name')}`,
)

describe('A process on SQLite', () => {
  it('has one file while it runs', async () => {
    const database = await newDatabase('sqlite')
    const store = await openStore(database.url)
    const own = `atrium.db-process-${store.processes.own()}`
    const files = readdirSync(database.folder).filter((file) => file.includes('-process-'))
    assert.deepEqual(files, [own])
    await store.close()
    await database.remove()
  })
})

describe('Processes on PostgreSQL', () => {
  it('have not ended when all their connections are cut at once', async () => {
    const database = await newDatabase('postgres')
    const [running, asking] = [await openStore(database.url), await openStore(database.url)]
    const own = running.processes.own()
    const connections = async () =>
      (await asking.reader('system').all(connectionsOf, { name: `atrium ${own}` })).map(({ pid }) => pid)
    while ((await connections()).length === 0) await running.ping()
    for (const pid of await connections()) await administer(`select pg_terminate_backend(${pid})`)
    assert.deepEqual(await asking.processes.ended([own]), [])
    assert.ok((await connections()).length > 0, 'it has a connection although nothing has asked it for one')
    await Promise.all([running.close(), asking.close()])
    await database.remove()
  })
})
