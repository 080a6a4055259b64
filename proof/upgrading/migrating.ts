/** Migrates the given database as a starting server does; a process of its own, so that it can be killed. */
import { migrate } from '../../server/src/db/migrate.ts'
import { openStore } from '../../server/src/db/open.ts'

const store = await openStore(process.argv[2] as string)
process.stdout.write(JSON.stringify(await migrate(store, Date.now())))
await store.close()
