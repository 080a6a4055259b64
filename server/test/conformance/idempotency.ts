import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { query } from '../../src/db/query.ts'
import type { Reply } from '../call.ts'

/** The option of a call with a key that nobody used. */
export const fresh = () => ({ idempotencyKey: randomUUID() })

/** What a credential may do from now on. */
export const setScopes = query((db, p) =>
  db
    .updateTable('credentials')
    .set({ scopes: p('scopes') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/** The second answer is the first one again: same status, same bytes, but for the request's own id. */
export function assertReplayed(again: Reply, first: Reply, about = ''): void {
  const id = first.headers['x-request-id'] as string
  const own = again.headers['x-request-id'] as string
  assert.equal(again.headers['idempotent-replayed'], 'true', `${about} ${again.text}`)
  assert.equal(again.headers['original-request'], id, about)
  assert.notEqual(own, id)
  assert.equal(again.status, first.status, about)
  assert.equal(again.text, first.status < 400 ? first.text : first.text.replace(id, own), about)
  assert.equal(first.headers['idempotent-replayed'], undefined)
  assert.equal(first.headers['original-request'], undefined)
}
