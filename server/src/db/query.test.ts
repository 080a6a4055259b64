/**
 * Parameters of queries are typed: each line marked `@ts-expect-error` must not compile, which the step `types` checks.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AnyQuery, type Placeholder, query } from './query.ts'
import type { Reader, Tx } from './store.ts'

const byId = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.selectFrom('tasks').select('title').where('realm', '=', p('realm')).where('id', '=', p('id')),
)
const everything = query((db) => db.selectFrom('tasks').select('title'))
const archive = query((db, p: Placeholder<{ realm: number; is_archived: number }>) =>
  db
    .updateTable('tasks')
    .set({ is_archived: p('is_archived') })
    .where('realm', '=', p('realm')),
)

/** Never called: only its types matter. */
export async function wrongUses(reader: Reader, tx: Tx): Promise<void> {
  await reader.first(byId, { realm: 1, id: 'tsk_1' })
  await reader.all(everything)
  // @ts-expect-error a value is missing
  await reader.first(byId, { realm: 1 })
  // @ts-expect-error all values are missing
  await reader.first(byId)
  // @ts-expect-error a name is misspelled
  await reader.first(byId, { realm: 1, ids: 'tsk_1' })
  // @ts-expect-error a value has the wrong type
  await reader.first(byId, { realm: '1', id: 'tsk_1' })
  // @ts-expect-error one value too many
  await reader.first(byId, { realm: 1, id: 'tsk_1', workspace: 'wsp_1' })
  // @ts-expect-error a query without parameters takes no values
  await reader.all(everything, { realm: 1 })
  // @ts-expect-error a flag is 0 or 1
  tx.write(archive, { realm: 1, is_archived: true })
  // @ts-expect-error a write needs its values too
  tx.write(archive)
  // @ts-expect-error a row has only the selected columns
  ;(await reader.first(byId, { realm: 1, id: 'tsk_1' }))?.description
}

/** Never called either. */
export function wrongDeclarations(): AnyQuery[] {
  // @ts-expect-error a parameter needs a declaration
  const undeclared = query((db, p) => db.selectFrom('tasks').select('id').where('id', '=', p('id')))
  return [
    undeclared,
    // @ts-expect-error the parameter is not declared
    query((db, p: Placeholder<{ realm: number }>) => db.selectFrom('tasks').select('id').where('id', '=', p('id'))),
    // @ts-expect-error the column holds a text, the parameter a number
    query((db, p: Placeholder<{ id: number }>) => db.selectFrom('tasks').select('id').where('id', '=', p('id'))),
  ]
}

describe('A query', () => {
  it('binds its values by name, in the order of its text', () => {
    for (const dialect of ['sqlite', 'postgres'] as const) {
      assert.deepEqual(byId.statement(dialect).bind({ id: 'tsk_1', realm: 1 }), [1, 'tsk_1'])
    }
  })

  it('refuses to run without one of its values', () => {
    assert.throws(() => byId.statement('sqlite').bind({ realm: 1 }), /without one of its values/)
  })
})
