import { openStore } from '../server/src/db/open.ts'
import type { Store } from '../server/src/db/store.ts'

/** Opens the database at `url` for the duration of `use`. */
export async function withStore<T>(url: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(url)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}
