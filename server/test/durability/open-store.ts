/**
 * Opens the given database on a line of its input, like a starting server, and prints the migrations that it applied.
 */
import { once } from 'node:events'
import { migrate } from '../../src/db/migrate.ts'
import { openStore } from '../../src/db/open.ts'

process.stdout.write('ready\n')
await once(process.stdin, 'data')
const store = await openStore(process.argv[2] as string)
process.stdout.write(`${JSON.stringify(await migrate(store, Date.now()))}\n`)
await store.close()
process.stdin.destroy()
