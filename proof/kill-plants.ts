/** Plants the kill points of `kill-points.ts`. They break nothing: a process whose environment names no point runs as usual. */
import type { Plant } from './plant.ts'
import { replace } from './planted-fault.ts'

function importPoints(file: string, anchor: string, names: string): Plant {
  const path = `${'../'.repeat(file.split('/').length - 1)}proof/kill-points.ts`
  return replace(file, anchor, `import { ${names} } from '${path}'\n${anchor}`)
}

const connection = 'server/src/db/sqlite/connection.ts'
const sqlite = 'server/src/db/sqlite/store.ts'
const postgres = 'server/src/db/postgres/store.ts'
const postgresTx = 'server/src/db/postgres/tx.ts'
const migrate = 'server/src/db/migrate.ts'

/** Commits checkpoint by themselves once the log has grown; this pragma does the same at a time that can be hit. */
const execute = `if (text !== 'commit') return void this.database.exec(text)
    reach('before_commit')
    during('mid_commit', () => this.database.exec(text))
    checkpoint(() => this.database.exec('pragma main.wal_checkpoint(truncate)'))
    reach('after_commit')`

export const kill_plants: readonly Plant[] = [
  importPoints(connection, "import { DatabaseSync } from 'node:sqlite'", 'checkpoint, during, reach'),
  replace(connection, 'this.database.exec(text)', execute),
  importPoints(sqlite, "import { performance } from 'node:perf_hooks'", 'reach'),
  replace(sqlite, 'if (tx.dirty) written++', "if (tx.dirty && ++written > 1) reach('mid_group')"),
  importPoints(postgres, "import { performance } from 'node:perf_hooks'", 'reach'),
  replace(postgres, 'if (tx.dirty) written++', "if (tx.dirty && ++written > 1) reach('mid_group')"),
  importPoints(postgresTx, "import type pg from 'pg'", 'reach'),
  replace(
    postgresTx,
    "done = await this.client.query('commit')",
    `reach('before_commit')
      const sent = this.client.query('commit')
      setImmediate(() => reach('mid_commit'))
      done = await sent
      reach('after_commit')`,
  ),
  importPoints(migrate, "import { sql } from 'kysely'", 'reach'),
  replace(
    migrate,
    'for (const text of statementsOf(migration, store.dialect)) tx.write(definition(text))',
    `for (const text of statementsOf(migration, store.dialect)) {
      tx.write(definition(text))
      await tx.all(applied)
      reach('statement')
    }`,
  ),
  replace(
    migrate,
    'tx.write(record, { name: migration.name, now })',
    `tx.write(record, { name: migration.name, now })
    await tx.all(applied)
    reach('recorded')`,
  ),
]

/** The kill points of a server, by engine. */
export const points = {
  sqlite: ['before_commit', 'mid_commit', 'mid_checkpoint', 'after_commit', 'mid_group'],
  postgres: ['before_commit', 'mid_commit', 'after_commit', 'mid_group'],
} as const
