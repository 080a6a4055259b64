/**
 * Where a process can be told to end (`kill-points.ts`). These plants break nothing: they are an instrument, and a
 * process that is told of no point does what it always does.
 */
import type { Plant } from './plant.ts'

function within(file: string, anchor: string, names: string): Plant {
  const path = `${'../'.repeat(file.split('/').length - 1)}proof/kill-points.ts`
  return { file, find: anchor, put: `import { ${names} } from '${path}'\n${anchor}` }
}

const connection = 'server/src/db/sqlite-connection.ts'
const sqlite = 'server/src/db/sqlite.ts'
const postgres = 'server/src/db/postgres.ts'
const postgresTx = 'server/src/db/postgres-tx.ts'
const migrate = 'server/src/db/migrate.ts'

/** `pragma main.wal_checkpoint` is what a commit does by itself when the log has grown; here it can be met. */
const execute = `if (text !== 'commit') return void this.database.exec(text)
    reach('before_commit')
    during('mid_commit', () => this.database.exec(text))
    checkpoint(() => this.database.exec('pragma main.wal_checkpoint(truncate)'))
    reach('after_commit')`

export const kill_plants: readonly Plant[] = [
  within(connection, "import { DatabaseSync } from 'node:sqlite'", 'checkpoint, during, reach'),
  { file: connection, find: 'this.database.exec(text)', put: execute },
  within(sqlite, "import { performance } from 'node:perf_hooks'", 'reach'),
  {
    file: sqlite,
    find: 'if (tx.dirty) written++',
    put: "if (tx.dirty && ++written > 1) reach('mid_group')",
  },
  within(postgres, "import { performance } from 'node:perf_hooks'", 'reach'),
  {
    file: postgres,
    find: 'if (tx.dirty) written++',
    put: "if (tx.dirty && ++written > 1) reach('mid_group')",
  },
  within(postgresTx, "import type pg from 'pg'", 'reach'),
  {
    file: postgresTx,
    find: "done = await this.client.query('commit')",
    put: `reach('before_commit')
      const sent = this.client.query('commit')
      setImmediate(() => reach('mid_commit'))
      done = await sent
      reach('after_commit')`,
  },
  within(migrate, "import { sql } from 'kysely'", 'reach'),
  {
    file: migrate,
    find: 'for (const text of statementsOf(migration, store.dialect)) tx.write(definition(text))',
    put: `for (const text of statementsOf(migration, store.dialect)) {
      tx.write(definition(text))
      await tx.all(applied)
      reach('statement')
    }`,
  },
  {
    file: migrate,
    find: 'tx.write(record, { name: migration.name, now })',
    put: `tx.write(record, { name: migration.name, now })
    await tx.all(applied)
    reach('recorded')`,
  },
]

/** The points of a server, by engine. */
export const points = {
  sqlite: ['before_commit', 'mid_commit', 'mid_checkpoint', 'after_commit', 'mid_group'],
  postgres: ['before_commit', 'mid_commit', 'after_commit', 'mid_group'],
} as const
