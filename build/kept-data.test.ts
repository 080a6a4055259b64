/**
 * The data of every released version, as its own program left them, are opened by today's. What the next version does to them is
 * tried with two further migrations: it backs up first, continues after a kill, and its backup leads back.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { kill_plants } from '../proof/kill-plants.ts'
import { kill_variable } from '../proof/kill-points.ts'
import { type Plant, planted } from '../proof/plant.ts'
import { replace } from '../proof/planted-fault.ts'
import { type Rows, rowsOf, shapeOf, tablesOf } from '../proof/upgrading/dump.ts'
import { withStore } from '../proof/with-store.ts'
import { readConfig } from '../server/src/config.ts'
import { readBackup } from '../server/src/db/backup/backup.ts'
import { loadBackup } from '../server/src/db/backup/restore.ts'
import { upgrades_folder } from '../server/src/db/backup/upgrade.ts'
import { appliedMigrations, applyMigrations, migrations, pendingMigrations } from '../server/src/db/migrate.ts'
import { NewerDatabase, UpgradeRefused } from '../server/src/db/store.ts'
import { derived_tables } from '../server/src/db/tables/keys.ts'
import { HandClock } from '../server/src/lib/clock.ts'
import { openServices, startServer } from '../server/src/main.ts'
import { verifyAudit } from '../server/src/resources/audit_logs/verify.ts'
import { requireRealms } from '../server/src/resources/organizations/shared/queries.ts'
import { call } from '../server/test/call.ts'
import { assertSound } from '../server/test/durability/soundness.ts'
import { type Database, type EngineName, newDatabase, onEveryEngine } from '../server/test/engines.ts'
import { indexForSearch } from '../server/test/search-index.ts'
import {
  backup_file,
  data_file,
  type KeptFacts,
  kept_environment,
  keptFolder,
  keptVersions,
  readKept,
  repository_folder,
  withoutData,
} from './kept-data.ts'
import { becomeLater, later_migrations } from './later-version.ts'

const changelog = readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8')
const folder_bytes_max = 2 ** 20

describe('The data of released versions', () => {
  it('have the tables that today’s text of their migrations creates: no migration was changed after its release', async () => {
    for (const version of keptVersions()) {
      await using place = await placeKept('sqlite', readKept(version))
      await using made = await newPlace('sqlite')
      await withStore(made.database.url, (store) => applyMigrations(store, readKept(version).migrations, 1))
      assert.equal((await stateOf(place.database)).shape, (await stateOf(made.database)).shape)
    }
  })

  it('are kept for every version of the changelog; `node build/keep-data.ts` writes those of a new one', () => {
    assert.deepEqual(withoutData(changelog), [])
    assert.deepEqual(withoutData(`## [0.0.9] - 2026-01-31\n\n${changelog}`), ['0.0.9'])
  })

  it('are below 1 MiB each, and say which version made them', () => {
    for (const version of readdirSync(repository_folder)) {
      const folder = join(repository_folder, version)
      const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
      assert.ok(bytes < folder_bytes_max, `${folder} has ${bytes} bytes`)
      assert.equal(readKept(version).version, version)
    }
  })
})

for (const version of keptVersions()) {
  const facts = readKept(version)
  onEveryEngine(`Data of version ${version}`, (engine) => {
    it('are opened, read, found, changed and verified by today’s program', async () => {
      await using place = await placeKept(engine, facts)
      await assertServed(place, facts)
      const isUpgraded = facts.migrations.length < migrations.length
      assert.equal(existsSync(join(place.folder, upgrades_folder)), isUpgraded, 'backed up if migrations were missing')
    })

    it('are backed up before a later version changes the tables, and that backup leads back', async () => {
      await using place = await placeKept(engine, facts)
      const before = await stateOf(place.database)
      const upgraded = await migrateLater(place)
      assert.equal(upgraded.code, 0, upgraded.err)
      const file = onlyBackup(place)
      assert.deepEqual(JSON.parse(upgraded.out), { applied: pendingOf(facts), backup: file })
      assert.equal(statSync(file).mode & 0o777, 0o600)
      const { migrations: applied, rows } = await readBackup(file)
      assert.deepEqual(applied, facts.migrations)
      assert.equal(rows, facts.rows)
      await assert.rejects(openServices(readConfig(place.environment)), NewerDatabase)
      await assertLeadsBack(engine, file, before)
      await assertRestores(engine, facts, file)
    })

    for (const [moment, plants, point] of killings(facts))
      it(`survive a later version that is killed ${moment}, and the backup is that of the beginning`, async () => {
        await using place = await placeKept(engine, facts)
        const before = await stateOf(place.database)
        await killLater(place, plants, point)
        const left = backupsOf(place)
        const missing = await missingLater(place)
        await upgradeToLater(place)
        assert.deepEqual(await missingLater(place), [])
        const file = onlyBackup(place)
        if (point === '')
          assert.deepEqual([missing, left.map((name) => /[^.]+$/.exec(name)?.[0])], [pendingOf(facts), ['unfinished']])
        else
          assert.deepEqual(
            [missing, left.map((name) => join(place.folder, upgrades_folder, name))],
            [['9999_later_column'], [file]],
          )
        await assertLeadsBack(engine, file, before)
      })

    it('stay as they are if the backup cannot be written, unless the operator does without it', async () => {
      await using place = await placeKept(engine, facts)
      const before = await stateOf(place.database)
      writeFileSync(join(place.folder, upgrades_folder), 'a file, where a folder is needed')
      await assert.rejects(upgradeToLater(place), UpgradeRefused)
      const { code, out, err } = await migrateLater(place)
      assert.deepEqual([code, out], [1, ''])
      assert.match(
        err,
        /The database was not upgraded, because no backup could be written to [^ ]+\/upgrades: EEXIST.+ATRIUM_UPGRADE_BACKUP=false/,
      )
      assert.deepEqual(await stateOf(place.database), before)
      const without = await migrateLater(place, { ATRIUM_UPGRADE_BACKUP: 'false' })
      assert.deepEqual(JSON.parse(without.out), { applied: pendingOf(facts), backup: null })
    })
  })
}

/** The migrations that the next version has and the kept data lack. */
function pendingOf(facts: KeptFacts): string[] {
  return [...migrations, ...later_migrations].map(({ name }) => name).filter((name) => !facts.migrations.includes(name))
}

interface Place extends AsyncDisposable {
  readonly database: Database
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

/** A data directory as the version left it; on PostgreSQL a database with the version's tables and rows. */
async function placeKept(engine: EngineName, { version }: KeptFacts): Promise<Place> {
  const place = await newPlace(engine)
  const archive = join(keptFolder(version), data_file)
  execFileSync('tar', ['-xzf', archive, '-C', place.folder, '--strip-components=1'])
  if (engine === 'postgres') await loadInto(place, join(keptFolder(version), backup_file))
  return place
}

async function newPlace(engine: EngineName): Promise<Place> {
  const database = await newDatabase(engine)
  const { folder, url } = database
  const environment = { ...kept_environment, ATRIUM_DATA_DIR: folder, ATRIUM_DATABASE_URL: url }
  return { database, folder, environment, [Symbol.asyncDispose]: () => database.remove() }
}

const loadInto = (place: Place, file: string) => withStore(place.database.url, (store) => loadBackup(store, file, 1))

async function upgradeToLater(place: Place, more: Readonly<Record<string, string>> = {}): Promise<void> {
  using _ = becomeLater()
  await (await openServices(readConfig({ ...place.environment, ...more }))).close()
}

async function missingLater({ database }: Place): Promise<string[]> {
  using _ = becomeLater()
  return await withStore(database.url, pendingMigrations)
}

/** How the next version is killed: when, with which changes of its code, and at which of the kill points. */
function killings(facts: KeptFacts): readonly (readonly [moment: string, plants: readonly Plant[], point: string])[] {
  const pending = migrations.length - facts.migrations.length
  const inBackup = replace(
    'server/src/db/backup/backup.ts',
    'await makeDurable(unfinished)',
    "process.kill(process.pid, 'SIGKILL')",
  )
  return [
    ['before its backup is complete', [inBackup], ''],
    ['between its migrations', kill_plants, `recorded:${pending + later_migrations.length}`],
  ]
}

interface Ran {
  readonly code: number | null
  readonly signal: string | null
  readonly out: string
  readonly err: string
}

/** Runs `atrium migrate` of the next version. */
async function migrateLater({ environment }: Place, more: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, 'later-version.ts'), 'migrate', '--json'], {
    env: { PATH, HOME, ...environment, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, signal: child.signalCode, out, err }
}

async function killLater(place: Place, plants: readonly Plant[], point: string): Promise<void> {
  const ran = await migrateLater(place, { ...planted(plants), ...(point === '' ? {} : { [kill_variable]: point }) })
  assert.equal(ran.signal, 'SIGKILL', ran.err)
}

const backupsOf = ({ folder }: Place) => readdirSync(join(folder, upgrades_folder))

function onlyBackup(place: Place): string {
  const names = backupsOf(place)
  assert.equal(names.length, 1, names.join())
  assert.match(names[0] ?? '', /^before-9999_later_column-\d{8}T\d{9}Z\.gz$/)
  return join(place.folder, upgrades_folder, names[0] ?? '')
}

interface State {
  readonly shape: string
  readonly rows: Rows
  readonly migrations: readonly string[]
}

/** A restore leaves them empty: the previews of images are made again. */
const previews = ['preview_key', 'previewed_at']

/** Tables and rows, without what workers derive from other rows. */
async function stateOf({ url }: Database): Promise<State> {
  return await withStore(url, async (store) => {
    const tables = [...(await tablesOf(store))].filter(([name]) => !derived_tables.has(name))
    const kept = tables.map(
      ([name, columns]) => [name, columns.filter((each) => !previews.includes(each.name))] as const,
    )
    const rows = await rowsOf(store, new Map(kept))
    return { shape: await shapeOf(store), rows, migrations: await appliedMigrations(store) }
  })
}

/** The backup, loaded into a new database, has the rows from before the upgrade. */
async function assertLeadsBack(engine: EngineName, file: string, before: State): Promise<void> {
  await using back = await newPlace(engine)
  await loadInto(back, file)
  const after = await stateOf(back.database)
  assert.deepEqual(after.migrations, before.migrations)
  for (const [table, text] of before.rows) assert.equal(after.rows.get(table), text, table)
}

/** `atrium restore` loads the backup into an empty installation of the same secret key, which is then served, files and all. */
async function assertRestores(engine: EngineName, facts: KeptFacts, file: string): Promise<void> {
  await using served = await newPlace(engine)
  const { PATH = '', HOME = '' } = process.env
  const program = join(import.meta.dirname, '../bin/atrium')
  execFileSync(program, ['restore', file], { env: { PATH, HOME, ...served.environment }, stdio: 'pipe' })
  await assertServed(served, facts)
}

/** Reads all pages. */
async function countTasks(get: (path: string) => Promise<List>, workspace: string): Promise<number> {
  const ids = new Set<string>()
  for (let cursor = ''; ; ) {
    const { data, has_more, next_cursor } = await get(`/v1/tasks?workspace=${workspace}&limit=100${cursor}`)
    for (const { id } of data) ids.add(id)
    if (!has_more) return ids.size
    cursor = `&starting_after=${next_cursor}`
  }
}

interface List {
  readonly data: readonly { readonly id: string }[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}

/** Today's program migrates the data, answers reads, search, a download and writes, and finds every log complete. */
async function assertServed({ environment, database }: Place, facts: KeptFacts): Promise<void> {
  const { organization, key, workspace, task, file } = facts
  const server = await startServer(readConfig(environment), { clock: new HandClock(Date.now()) })
  try {
    const { store } = server.services
    assert.deepEqual(await pendingMigrations(store), [])
    const audit = await verifyAudit(store, organization)
    assert.deepEqual(audit, { ok: true, entries: facts.audit_entries })
    const get = async (path: string) => (await call(server.url, 'GET', path, { key })).body
    assert.equal(await countTasks(get, workspace), facts.tasks)
    assert.equal((await get(`/v1/tasks/${task.id}`)).title, task.title)
    const download = await get(`/v1/files/${file.id}`)
    assert.equal((await call(download.url, 'GET', download.url.slice(server.url.length))).text, file.content)
    for (const { realm } of await requireRealms(store, organization)) await indexForSearch(server.services, realm)
    const found = await get(`/v1/search?query=${encodeURIComponent(task.title)}`)
    assert.ok(
      found.data?.some((each: { id: string }) => each.id === task.id),
      JSON.stringify(found),
    )
    const changed = await call(server.url, 'PATCH', `/v1/tasks/${task.id}`, { key, body: { title: 'Upgraded' } })
    assert.deepEqual([changed.status, changed.body.title], [200, 'Upgraded'])
    assert.equal((await call(server.url, 'POST', '/v1/tasks', { key, body: { workspace, title: 'New' } })).status, 200)
    assert.deepEqual(await verifyAudit(store, organization), { ok: true, entries: facts.audit_entries + 2 })
  } finally {
    await server.close()
  }
  await withStore(database.url, (store) => assertSound(store.reader('system'), organization))
}
