/** Helpers of the idempotency tests. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Placeholder, query } from '../../src/db/query.ts'
import type { Reply } from '../call.ts'

/** Call options with an unused key. */
export const fresh = () => ({ idempotencyKey: randomUUID() })

/** Sets the scopes of a credential. */
export const setScopes = query((db, p: Placeholder<{ scopes: string; realm: number; id: string }>) =>
  db
    .updateTable('credentials')
    .set({ scopes: p('scopes') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/** Asserts a replay: same status and bytes, except for the request id in an error. */
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
