/** Rows that the jobs of a transaction share: each job gets what the engine would answer. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { type Placeholder, query, rawQuery } from '../query.ts'
import { SqliteConnection } from './connection.ts'
import { SqliteTransaction, SqliteTx } from './tx.ts'

const find = query((db, p: Placeholder<{ organization: string; id: string }>) =>
  db.selectFrom('teams').selectAll().where('organization', '=', p('organization')).where('id', '=', p('id')),
)
const rename = query((db, p: Placeholder<{ name: string; organization: string }>) =>
  db
    .updateTable('teams')
    .set({ name: p('name') })
    .where('organization', '=', p('organization')),
)
const renameRaw = rawQuery((p: Placeholder<{ name: string }>) => sql`update teams set name = ${p('name')}`)
const renameAndTell = rawQuery(
  (p: Placeholder<{ name: string }>) => sql`update teams set name = ${p('name')} returning name`,
)

describe('rows that the jobs of a SQLite transaction share', () => {
  let folder: string
  let connection: SqliteConnection
  const place = { organization: 'org', id: 'team' }
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-kept-rows-'))
    connection = new SqliteConnection(join(folder, 'teams.db'), 'writes')
    connection.exec(
      'create table teams (organization text, id text, created bigint, updated bigint, name text, description text)',
    )
    connection.exec(`insert into teams values ('org', 'team', 1, 1, 'first', null)`)
  })
  after(() => {
    connection.close()
    rmSync(folder, { recursive: true })
  })

  const writes = {
    'an update': (tx: SqliteTx, name: string) => tx.write(rename, { organization: 'org', name }),
    'a write in SQL': (tx: SqliteTx, name: string) => tx.write(renameRaw, { name }),
    'a write that returns its rows': (tx: SqliteTx, name: string) => void tx.all(renameAndTell, { name }),
    'a write that returns its first row': (tx: SqliteTx, name: string) => void tx.first(renameAndTell, { name }),
  }
  for (const [what, write] of Object.entries(writes)) {
    it(`are read again after ${what}`, () => {
      const transaction = new SqliteTransaction(connection)
      const [one, other] = [new SqliteTx(transaction), new SqliteTx(transaction)]
      assert.notEqual(one.first(find, place)?.name, what)
      write(one, what)
      assert.equal(other.first(find, place)?.name, what)
      write(one, `${what} again`)
      assert.equal(other.first(find, place)?.name, `${what} again`)
    })
  }

  it('are read once, and each job has an object of its own', () => {
    const transaction = new SqliteTransaction(connection)
    const [one, other] = [new SqliteTx(transaction), new SqliteTx(transaction)]
    const row = one.first(find, place)
    connection.exec(`update teams set name = 'past the transaction'`)
    assert.deepEqual(other.first(find, place), row)
    assert.notEqual(other.first(find, place), row)
    assert.equal(new SqliteTx(new SqliteTransaction(connection)).first(find, place)?.name, 'past the transaction')
  })

  it('are identified by all values, whatever they contain', () => {
    const tx = new SqliteTx(new SqliteTransaction(connection))
    assert.equal(tx.first(find, { organization: 'or', id: 'gteam' }), undefined)
    assert.equal(tx.first(find, { organization: 'orgt', id: 'eam' }), undefined)
    assert.equal(tx.first(find, place)?.id, 'team')
  })
})
