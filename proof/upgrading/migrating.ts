/** Brings the database it is given up to date, as a starting server does: a process that can be told to end half-way. */
import { migrate } from '../../server/src/db/migrate.ts'
import { openStore } from '../../server/src/db/open.ts'

const store = await openStore(process.argv[2] as string)
process.stdout.write(JSON.stringify(await migrate(store, Date.now())))
await store.close()
