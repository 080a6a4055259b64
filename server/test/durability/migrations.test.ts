/**
 * The tables are those of the repository's schema files, and several processes may start at once on an empty database.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { migrate, migrations, pendingMigrations } from '../../src/db/migrate.ts'
import { openStore } from '../../src/db/open.ts'
import { definition, type Query, rawQuery } from '../../src/db/query.ts'
import type { Store } from '../../src/db/store.ts'
import { schemaTexts } from '../../src/db/tables/schema-text.ts'
import { citus_url, type Database, type EngineName, newDatabase, onEveryEngine } from '../engines.ts'
import { run } from './programs.ts'

const names = migrations.map((migration) => migration.name)

/** Everything that the engine knows about its tables, in a fixed order. */
const shapes: Record<EngineName, Query<object>[]> = {
  sqlite: [rawQuery(() => sql`select type, name, tbl_name, sql from sqlite_schema order by type, name`)],
  postgres: [
    rawQuery(
      () => sql`select table_name, column_name, data_type, is_nullable, column_default, collation_name
        from information_schema.columns where table_schema = 'public' order by 1, 2`,
    ),
    rawQuery(
      () => sql`select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' order by 1, 2`,
    ),
    rawQuery(() => sql`select tablename, policyname, cmd, roles, qual, with_check from pg_policies order by 1, 2`),
    rawQuery(
      () => sql`select relname, relrowsecurity, relforcerowsecurity from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    ),
  ],
}

async function shapeOf(store: Store): Promise<object[]> {
  const reader = store.reader('system')
  return await Promise.all(shapes[store.dialect].map(async (shape) => await reader.all(shape)))
}

onEveryEngine('Migrations', (engine) => {
  const file = `schema.${engine}.sql`
  let database: Database

  before(async () => {
    database = await newDatabase(engine)
  })
  after(async () => {
    await database.remove()
  })

  it('let four processes start at once on an empty database: all start, and each migration runs once', async () => {
    const starting = Array.from({ length: 4 }, () => run('open-store.ts', database.url))
    for (const program of starting) assert.equal(await program.line(), 'ready')
    for (const program of starting) program.tell('go\n')
    const applied = await Promise.all(starting.map((program) => program.line()))
    assert.deepEqual(await Promise.all(starting.map((program) => program.end())), [0, 0, 0, 0])
    assert.deepEqual(applied.flatMap((line) => JSON.parse(line ?? 'null')).sort(), names)
  })

  it('are not repeated by a process that starts later', async () => {
    const store = await openStore(database.url)
    assert.deepEqual([await pendingMigrations(store), await migrate(store, 1)], [[], []])
    await store.close()
  })

  // Placing tables on Citus gives some of them other keys.
  if (citus_url === null)
    it(`are what ${file}: the file is up to date and creates the same tables`, async () => {
      const text = schemaTexts()[file] as string
      const kept = readFileSync(join(import.meta.dirname, '../../src/db', file), 'utf8')
      assert.ok(kept === text, 'out of date: run npm run generate')
      const other = await newDatabase(engine)
      const [migrated, written] = [await openStore(database.url), await openStore(other.url)]
      await written.migrate(async (tx) => {
        for (const statement of text.replaceAll(/^--.*$/gm, '').split(';\n')) {
          if (statement.trim() !== '') tx.write(definition(statement))
        }
      })
      assert.deepEqual(await shapeOf(written), await shapeOf(migrated))
      await Promise.all([migrated.close(), written.close()])
      await other.remove()
    })

  it('that fail leave the database as it was', async () => {
    const store = await openStore(database.url)
    const before = await shapeOf(store)
    const failing = store.migrate(async (tx) => {
      tx.write(definition('create table half (id text not null)'))
      tx.write(definition('create table nonsense ((('))
    })
    await assert.rejects(failing)
    assert.deepEqual(await shapeOf(store), before)
    await store.close()
  })
})
