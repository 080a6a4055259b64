import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { StoreUnavailable } from '../store.ts'
import { asStoreError } from './errors.ts'

it('a full disk is called so in the log and by commands, beside the words of SQLite', () => {
  const database = new DatabaseSync(':memory:')
  database.exec('create table t (x); pragma max_page_count = 2')
  let raised: unknown
  try {
    database.exec('insert into t values (zeroblob(100000))')
  } catch (error) {
    raised = asStoreError(error)
  }
  assert.ok(raised instanceof StoreUnavailable)
  assert.equal(raised.message, 'the disk is full (database or disk is full)')
})
