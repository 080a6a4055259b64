/** Indexes a seeded database for search, as the worker does. */
import { readConfig } from '../server/src/config.ts'
import { openServices } from '../server/src/main.ts'
import { indexNext } from '../server/src/search/follow.ts'
import type { Seeded } from './seed-product.ts'

const batch_max = 1000

/** Returns how many milliseconds it took. No server may use the database. */
export async function indexSeeded(environment: Record<string, string>, { frame }: Seeded): Promise<number> {
  const services = await openServices(readConfig(environment))
  const from = performance.now()
  try {
    const next = () =>
      services.store.write('system', (tx) => indexNext(tx, frame.caller.realm, batch_max, services.clock.now()))
    while ((await next()) > 0);
  } finally {
    await services.close()
  }
  return performance.now() - from
}
