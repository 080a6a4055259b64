/** Finds out whether writes work again after the disk has refused one: only a commit shows that. */
import { randomBytes } from 'node:crypto'
import { type Placeholder, query } from '../query.ts'
import type { Store } from '../store.ts'

/** Random, because PostgreSQL compresses what repeats. */
const probe_bytes = 49_152

const probe_row = {
  name: 'write probe',
  last_started_at: null,
  last_ended_at: null,
  last_done: 0,
  last_failed: 0,
  lease_until: null,
  lease_owner: null,
}
const removeProbe = query((db, p: Placeholder<{ name: string }>) =>
  db.deleteFrom('workers').where('name', '=', p('name')),
)

/** Commits a row that needs new pages, and its removal. Rejects as a write does. */
export async function probeWrites(store: Pick<Store, 'write'>): Promise<void> {
  await store.write('system', async (tx) => {
    const name = `${probe_row.name} ${randomBytes(4).toString('hex')}`
    tx.insert('workers', { ...probe_row, name, last_error: randomBytes(probe_bytes).toString('base64') })
    tx.write(removeProbe, { name })
  })
}
