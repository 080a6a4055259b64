/** Reads one snapshot of the database it is given again and again until that fails, and prints why. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { rawQuery } from '../../src/db/query.ts'
import { SqliteStore } from '../../src/db/sqlite/store.ts'

const one = rawQuery(() => sql`select count(*) from sqlite_schema`)
const store = new SqliteStore(process.argv[2] as string)
try {
  await store.snapshot('system', async (reader) => {
    for (let i = 0; ; i++) {
      await reader.first(one)
      if (i === 0) process.stdout.write('reading\n')
      await sleep(10)
    }
  })
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : error}\n`)
}
await store.close()
