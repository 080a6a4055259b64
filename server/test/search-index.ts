/** Brings the index of search up to date, as its worker does in a server. */
import type { Services } from '../src/api/services.ts'
import { indexNext } from '../src/search/follow.ts'

/** Indexes all that a realm has, at most `count` objects or events in a transaction. */
export async function indexForSearch({ store, clock }: Services, realm: number, count = 50): Promise<void> {
  const next = () => store.write('system', (tx) => indexNext(tx, realm, count, clock.now()))
  while ((await next()) > 0);
}
